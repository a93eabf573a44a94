import * as honeypots from '#licensing/honeypots/index.ts';
import { writeCard } from '../card.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';
import { secretFileAsked, writeSecretFile } from '../secret-file.ts';

const flags = {
  productId: '--product',
  label: '--label',
  keyFormatId: '--key-format',
  blockIpSeconds: '--block-ip',
};

/** `appctl honeypot create`: the key is shown once, as every secret that a command makes (cli.md section 1.5). */
export async function createHoneypot(cli: Cli): Promise<void> {
  const file = secretFileAsked(cli);
  const input = {
    productId: cli.required('product'),
    label: cli.required('label'),
    keyFormatId: cli.option('key-format'),
    blockIpSeconds: cli.integer('block-ip'),
  };
  await withLocal(cli, async ({ ctx }) => {
    const { honeypot, key } = await changeOrPlan(cli, ctx, (ctx) =>
      ctx.tx(async (ctx) => {
        const made = await namingFlags(flags, () => honeypots.create(ctx, input));
        // Inside the transaction: a key that could not be written leaves no honeypot behind.
        if (file !== undefined && !cli.dryRun) writeSecretFile(cli, file, made.key);
        return made;
      }),
    );
    const shown = !cli.dryRun && (cli.flag('reveal') || (cli.json && file === undefined));
    await writeCard(cli, planned(cli, { ...honeypot, ...(shown && { key }) }));
    if (cli.dryRun || cli.json || shown || file !== undefined) return;
    cli.note('The key is shown once, and only with --reveal, --json or --out FILE; it cannot be read again.');
    const again = `appctl honeypot create --product ${honeypot.productSlug} --label TEXT --reveal`;
    cli.next(`appctl honeypot delete ${honeypot.id} --yes`, again);
  });
}

/** `appctl honeypot delete ID`; the answer is the honeypot that is gone. */
export async function deleteHoneypot(cli: Cli): Promise<void> {
  const id = cli.argument('id');
  await withLocal(cli, async ({ ctx }) => {
    const { label, hits } = await honeypots.get(ctx, id);
    await cli.confirm({ action: `delete honeypot ${id} (${label ?? 'no label'}) and its ${hits} uses` });
    const honeypot = await changeOrPlan(cli, ctx, (ctx) => honeypots.remove(ctx, id));
    await writeCard(cli, planned(cli, honeypot));
    noteChange(cli, `deleted ${id}`);
  });
}
