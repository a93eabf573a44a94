import { writeCard } from './card.ts';
import { planned } from './change.ts';
import type { ChangeOptions } from './desk/desk.ts';
import type { Cli } from './frame/context.ts';
import { keepingSecret, noteSecret, requireShownSecret, showsSecret } from './secret-file.ts';

/** A secret that a desk makes, and how its answer is shown. */
export interface ShownSecret<A> {
  /** Field of the answer that holds it. */
  readonly name: string & keyof A;
  /** What the answer is about, without the secret. */
  view(answer: A): object;
  /** By field, for a person in place of its value. */
  words?(answer: A): Readonly<Record<string, unknown>>;
}

/**
 * Makes a secret and shows it once (cli.md section 1.5): in the file of --out, else on stdout with --json, with --reveal
 * or at a terminal. Elsewhere nobody would see it, so that nothing is made.
 *
 * @param make calls the operation with the options that it gets
 * @throws usage error (2) when nobody would see the secret
 */
export async function makeSecretAt<A extends object>(
  cli: Cli,
  make: (options: ChangeOptions) => Promise<A>,
  { name, view, words }: ShownSecret<A>,
): Promise<void> {
  requireShownSecret(cli);
  const answer = await keepingSecret(cli, (keep) => make({ secret: { name, keep } }));
  const secret = showsSecret(cli) && { secret: String(answer[name]) };
  await writeCard(cli, planned(cli, { ...view(answer), ...secret }), words?.(answer) ?? {});
  noteSecret(cli);
}
