import type { Flag } from '#licensing/insight/abuse/view.ts';
import { writeCard } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { at } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { reasonAsked } from '../license/view.ts';
import { type OneFlag, withAbuse } from './twin.ts';

/** `appctl abuse flag LICENSE --reason T`. */
export async function flagLicense(cli: Cli): Promise<void> {
  const note = reasonAsked(cli);
  await change(cli, 'flagged', 'abuse/flags', { licenseId: cli.argument('license'), note });
}

/** `appctl abuse clear FLAG --reason T`. */
export async function clearFlag(cli: Cli): Promise<void> {
  const note = reasonAsked(cli);
  await change(cli, 'cleared the flag on', at`abuse/flags/${cli.argument('flag')}/clear`, { note });
}

/** `appctl abuse confirm FLAG --reason T [--action A]`. */
export async function confirmFlag(cli: Cli): Promise<void> {
  const note = reasonAsked(cli);
  const action = cli.required('action');
  const path = at`abuse/flags/${cli.argument('flag')}/confirm`;
  const { licenseId } = await change(cli, 'confirmed the flag on', path, { note, action });
  if (action === 'REPLACE_KEY' && !cli.dryRun) cli.next(`appctl license reveal ${licenseId} --reason TEXT`);
}

async function change(cli: Cli, done: string, path: string, body: object): Promise<Flag> {
  return withAbuse(cli, async (desk) => {
    const { flag } = await desk.post<OneFlag>(path, body);
    await writeCard(cli, planned(cli, flag));
    noteChange(cli, `${done} ${flag.licenseId}`);
    return flag;
  });
}
