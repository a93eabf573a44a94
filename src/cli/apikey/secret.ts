import type { Ctx } from '#kernel/context.ts';
import type { ApiKey } from '#platform/api-keys/index.ts';
import { writeCard } from '../card.ts';
import { changeOrPlan, planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { secretFileAsked, writeSecretFile } from '../secret-file.ts';
import { apiKeyView } from './view.ts';

/**
 * Makes a secret and shows it once (cli.md section 1.5): in the file of --out, else on stdout with --json or
 * --reveal. Without any of them the key exists but nobody saw its secret; the answer says how to get another.
 *
 * @param work makes the secret
 */
export async function makeSecret(
  cli: Cli,
  ctx: Ctx,
  work: (ctx: Ctx) => Promise<{ apiKey: ApiKey; secret: string }>,
): Promise<void> {
  const file = secretFileAsked(cli);
  const { apiKey, secret } = await changeOrPlan(cli, ctx, (ctx) =>
    ctx.tx(async (ctx) => {
      const made = await work(ctx);
      // Inside the transaction: a secret that could not be written leaves no key behind.
      if (file !== undefined && !cli.dryRun) writeSecretFile(cli, file, made.secret);
      return made;
    }),
  );
  const shown = !cli.dryRun && (cli.flag('reveal') || (cli.json && file === undefined));
  await writeCard(cli, planned(cli, { ...apiKeyView(apiKey), ...(shown && { secret }) }));
  if (cli.dryRun || cli.json || shown || file !== undefined) return;
  cli.note(
    'The secret is shown once, and only with --reveal, --json or --out FILE; it cannot be read again.',
  );
  cli.next(`appctl apikey rotate ${apiKey.id} --reveal`);
}
