import type { MailSpec } from '#kernel/mail.ts';

/**
 * Declares a mail; list it in `mails` of the capability and write its words in `templates/mail/<key>.<language>.md`: in all
 * languages of the shop, or in English and German where staff alone read it.
 *
 * @param spec as `MailSpec` says; a `sample` value for each placeholder
 */
export const defineMail = <const P extends string = never>(
  spec: {
    readonly key: string;
    readonly placeholders?: readonly P[];
    readonly sample: Readonly<Record<NoInfer<P>, string>>;
    readonly isSecret?: boolean;
  } & Pick<
    MailSpec<NoInfer<P>>,
    | 'isNeeded'
    | 'isOffAtFirst'
    | 'isForStaff'
    | 'isMarketing'
    | 'mostAnHour'
    | 'late'
    | 'outdated'
    | 'required'
  >,
): MailSpec<P> => ({
  placeholders: [],
  isSecret: false,
  ...spec,
});
