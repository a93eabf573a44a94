import { writeCard } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { at } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { keepingSecret, noteSecret, requireShownSecret, showsSecret } from '../secret-file.ts';
import { type OneHoneypot, withHoneypots } from './twin.ts';

const flags = {
  productId: '--product',
  label: '--label',
  keyFormatId: '--key-format',
  blockIpSeconds: '--block-ip',
};

/** `appctl honeypot create`: the key is shown once, as every secret that a command makes (cli.md section 1.5). */
export async function createHoneypot(cli: Cli): Promise<void> {
  requireShownSecret(cli);
  const input = {
    productId: cli.required('product'),
    label: cli.required('label'),
    keyFormatId: cli.option('key-format'),
    blockIpSeconds: cli.integer('block-ip'),
  };
  await withHoneypots(cli, async (desk) => {
    const { honeypot, key } = await keepingSecret(cli, (keep) =>
      namingFlags(flags, () =>
        desk.post<OneHoneypot & { key: string }>('honeypots', input, { secret: { name: 'key', keep } }),
      ),
    );
    await writeCard(cli, planned(cli, { ...honeypot, ...(showsSecret(cli) && { key }) }));
    noteSecret(cli);
  });
}

/** `appctl honeypot delete ID`; the answer is the honeypot that is gone. */
export async function deleteHoneypot(cli: Cli): Promise<void> {
  const id = cli.argument('id');
  await withHoneypots(cli, async (desk) => {
    const path = at`honeypots/${id}`;
    const { honeypot } = await desk.get<OneHoneypot>(path);
    const { label, hits } = honeypot;
    await cli.confirm({
      action: `delete honeypot ${id} (${label ?? 'no label'}) and the record of its ${hits} uses`,
    });
    await desk.delete(path);
    await writeCard(cli, planned(cli, honeypot));
    noteChange(cli, `deleted ${id}`);
  });
}
