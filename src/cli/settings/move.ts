import type { SettingChange, SettingsApplied, SettingView } from '#platform/settings/view.ts';
import { noteChange, planned } from '../change.ts';
import { timeAt } from '../desk/desk.ts';
import { fileAsked } from '../export/stream.ts';
import type { Cli } from '../frame/context.ts';
import { exits } from '../frame/exits.ts';
import { withOutputFile } from '../frame/output-file.ts';
import { readSettings, type SettingsFile } from './file.ts';
import { shown } from './list.ts';
import { withSettings } from './twin.ts';

/** `appctl settings export`: what differs from its default, without secrets and without what the configuration fixes. */
export async function exportSettings(cli: Cli): Promise<void> {
  const path = fileAsked(cli);
  await withSettings(cli, async (desk) => {
    const { items } = await desk.get<{ items: SettingView[] }>('settings', { changed: true });
    const own = items.filter(({ pinnedBy }) => pinnedBy === undefined);
    const open = own.filter(({ isSecret }) => !isSecret).map(({ key, value }) => [key, value] as const);
    const secrets = own.filter(({ isSecret }) => isSecret).map(({ key }) => key);
    const settings = Object.fromEntries(open) as SettingsFile['settings'];
    const file: SettingsFile = { kind: 'settings', v: 1, createdAt: timeAt(desk), settings, secrets };
    const text = `${JSON.stringify(file, null, 2)}\n`;
    if (path === undefined) await cli.out.value(file, () => text.trimEnd());
    else {
      await withOutputFile({ path, force: cli.flag('force') }, async (output) => output.write(text));
      const answer = { file: path, settings: open.length, secrets };
      await cli.out.value(answer, () => `wrote ${counted(open.length)} to ${path}`);
    }
    if (secrets.length > 0 && !cli.json)
      cli.note(
        `secrets are left out: ${secrets.join(', ')}; set them with appctl settings set KEY --value-stdin`,
      );
  });
}

/** `appctl settings import FILE`: shows what would change, asks, and changes all of it or nothing. */
export async function importSettings(cli: Cli): Promise<number> {
  const file = await readSettings(cli, cli.argument('file'));
  return withSettings(cli, async (desk) => {
    const values = { values: file.settings };
    const plan = await desk.patch<SettingsApplied>('settings', values, { rehearse: true });
    tell(cli, plan, file);
    const count = plan.changes.length;
    if (count > 0) await cli.confirm({ action: `change ${counted(count)}`, more: plan.changes.map(lineOf) });
    const done = count > 0 && !cli.dryRun ? await desk.patch<SettingsApplied>('settings', values) : plan;
    const { changes: changed, ...rest } = done;
    const answer = { changed, ...rest, secrets: file.secrets };
    await cli.out.value(planned(cli, answer), () => changed.map(lineOf).join('\n') || 'nothing to change');
    if (changed.length > 0) noteChange(cli, `changed ${counted(changed.length)}`);
    return done.pinned.length + done.unknown.length > 0 ? exits.partial : exits.done;
  });
}

/** What of the file is not taken. */
function tell(cli: Cli, { pinned, unknown }: SettingsApplied, { secrets }: SettingsFile): void {
  if (cli.json) return;
  for (const { key, pinnedBy } of pinned) cli.warn(`${key} is set by ${pinnedBy} and stays as it is`);
  for (const key of unknown) cli.warn(`this version has no setting ${key}; it was skipped`);
  if (secrets.length > 0)
    cli.note(
      `the file contains no secrets; set them with appctl settings set KEY --value-stdin: ${secrets.join(', ')}`,
    );
}

const lineOf = ({ key, old, new: next }: SettingChange): string => `${key}: ${shown(old)} -> ${shown(next)}`;

const counted = (count: number): string => (count === 1 ? '1 setting' : `${count} settings`);
