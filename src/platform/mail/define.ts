import type { MailSpec } from '#kernel/mail.ts';

/**
 * Declares a mail; list it in `mails` of the capability and write `templates/mail/<key>.en.md` and `.de.md`.
 *
 * @param spec `placeholders` that its templates may name, a `sample` value for each; `isSecret` where a value opens something
 */
export const defineMail = <const P extends string = never>(spec: {
  readonly key: string;
  readonly placeholders?: readonly P[];
  readonly sample: Readonly<Record<P, string>>;
  readonly isSecret?: boolean;
}): MailSpec<P> => ({ placeholders: [], isSecret: false, ...spec });
