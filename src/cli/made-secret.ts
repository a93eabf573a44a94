import type { Ctx } from '#kernel/context.ts';
import { writeCard } from './card.ts';
import { changeOrPlan, planned } from './change.ts';
import type { ChangeOptions } from './desk/desk.ts';
import type { Cli } from './frame/context.ts';
import { keepingSecret, noteSecret, showsSecret } from './secret-file.ts';

/** What a use case made: the thing as it is stored, and the secret that nobody can read again. */
export interface Made<T> {
  readonly thing: T;
  readonly secret: string;
}

/**
 * Makes a secret and shows it once (cli.md section 1.5): in the file of --out, else on stdout with --json, with --reveal
 * or at a terminal. Elsewhere the thing exists but nobody saw its secret; the answer says what to do then.
 *
 * @param work makes the secret
 * @param view the thing as the answer shows it
 * @param cure the commands that help who did not see the secret
 * @param words by field, for a person in place of its value
 */
export async function makeSecret<T>(
  cli: Cli,
  ctx: Ctx,
  work: (ctx: Ctx) => Promise<Made<T>>,
  view: (thing: T) => object,
  cure: (thing: T) => readonly string[],
  words: (thing: T) => Readonly<Record<string, unknown>> = () => ({}),
): Promise<void> {
  const { thing, secret } = await keepingSecret(cli, (keep) =>
    changeOrPlan(cli, ctx, (ctx) =>
      ctx.tx(async (ctx) => {
        const made = await work(ctx);
        keep(made.secret);
        return made;
      }),
    ),
  );
  await writeCard(cli, planned(cli, { ...view(thing), ...(showsSecret(cli) && { secret }) }), words(thing));
  noteSecret(cli, ...cure(thing));
}

/** A secret that a desk makes, and how its answer is shown. */
export interface ShownSecret<A> {
  /** Field of the answer that holds it. */
  readonly name: string & keyof A;
  /** What the answer is about, without the secret. */
  view(answer: A): object;
  /** The commands that help who did not see the secret. */
  cure(answer: A): readonly string[];
  /** By field, for a person in place of its value. */
  words?(answer: A): Readonly<Record<string, unknown>>;
}

/**
 * As makeSecret, at a desk.
 *
 * @param make calls the operation with the options that it gets
 */
export async function makeSecretAt<A extends object>(
  cli: Cli,
  make: (options: ChangeOptions) => Promise<A>,
  { name, view, cure, words }: ShownSecret<A>,
): Promise<void> {
  const answer = await keepingSecret(cli, (keep) => make({ secret: { name, keep } }));
  const secret = showsSecret(cli) && { secret: String(answer[name]) };
  await writeCard(cli, planned(cli, { ...view(answer), ...secret }), words?.(answer) ?? {});
  noteSecret(cli, ...cure(answer));
}
