import { requireEventName } from '../event-names.ts';
import type { Cli } from '../frame/context.ts';

/** Judges the --action of a list that is empty. @throws usage error (2), with the nearest name */
export async function requireAction(cli: Cli): Promise<void> {
  const action = cli.option('action');
  if (action === undefined) return;
  await requireEventName(action, { flag: '--action', what: 'action', list: 'appctl audit list' });
}
