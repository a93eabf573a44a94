import type { Ctx } from '#kernel/context.ts';
import { writeCard } from './card.ts';
import { changeOrPlan, planned } from './change.ts';
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
