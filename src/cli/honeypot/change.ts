import * as honeypots from '#licensing/insight/honeypots/index.ts';
import { writeCard } from '../card.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';
import { keepingSecret, noteSecret, showsSecret } from '../secret-file.ts';

const flags = {
  productId: '--product',
  label: '--label',
  keyFormatId: '--key-format',
  blockIpSeconds: '--block-ip',
};

/** `appctl honeypot create`: the key is shown once, as every secret that a command makes (cli.md section 1.5). */
export async function createHoneypot(cli: Cli): Promise<void> {
  const input = {
    productId: cli.required('product'),
    label: cli.required('label'),
    keyFormatId: cli.option('key-format'),
    blockIpSeconds: cli.integer('block-ip'),
  };
  await withLocal(cli, async ({ ctx }) => {
    const { honeypot, key } = await keepingSecret(cli, (keep) =>
      changeOrPlan(cli, ctx, (ctx) =>
        ctx.tx(async (ctx) => {
          const made = await namingFlags(flags, () => honeypots.create(ctx, input));
          keep(made.key);
          return made;
        }),
      ),
    );
    await writeCard(cli, planned(cli, { ...honeypot, ...(showsSecret(cli) && { key }) }));
    const again = `appctl honeypot create --product ${honeypot.productSlug} --label TEXT --reveal`;
    noteSecret(cli, `appctl honeypot delete ${honeypot.id} --yes`, again);
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
