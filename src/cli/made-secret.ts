import type { Ctx } from '#kernel/context.ts';
import { writeCard } from './card.ts';
import { changeOrPlan, planned } from './change.ts';
import type { Cli } from './frame/context.ts';
import { secretFileAsked, writeSecretFile } from './secret-file.ts';

/** What a use case made: the thing as it is stored, and the secret that nobody can read again. */
export interface Made<T> {
  readonly thing: T;
  readonly secret: string;
}

/**
 * Makes a secret and shows it once (cli.md section 1.5): in the file of --out, else on stdout with --json or
 * --reveal. Without any of them the thing exists but nobody saw its secret; the answer says what to do then.
 *
 * @param work makes the secret
 * @param view the thing as the answer shows it
 * @param cure the command that helps who did not see the secret
 */
export async function makeSecret<T>(
  cli: Cli,
  ctx: Ctx,
  work: (ctx: Ctx) => Promise<Made<T>>,
  view: (thing: T) => object,
  cure: (thing: T) => string,
): Promise<void> {
  const file = secretFileAsked(cli);
  const { thing, secret } = await changeOrPlan(cli, ctx, (ctx) =>
    ctx.tx(async (ctx) => {
      const made = await work(ctx);
      // Inside the transaction: a secret that could not be written leaves nothing behind.
      if (file !== undefined && !cli.dryRun) writeSecretFile(cli, file, made.secret);
      return made;
    }),
  );
  const shown = !cli.dryRun && (cli.flag('reveal') || (cli.json && file === undefined));
  await writeCard(cli, planned(cli, { ...view(thing), ...(shown && { secret }) }));
  if (cli.dryRun || cli.json || shown || file !== undefined) return;
  cli.note(
    'The secret is shown once, and only with --reveal, --json or --out FILE; it cannot be read again.',
  );
  cli.next(cure(thing));
}
