import { tryAll } from '#platform/alerts/index.ts';
import type { AlertView } from '#platform/alerts/view.ts';
import type { Cli } from '../frame/context.ts';
import { exits } from '../frame/exits.ts';
import { withLocal } from '../open.ts';
import { type DeskPage, pageAsked } from '../paging.ts';
import { withAlerts } from './twin.ts';

/** `appctl alerts list [--all]`. */
export function listAlerts(cli: Cli): Promise<void> {
  return withAlerts(cli, async (desk) => {
    const isAll = cli.flag('all');
    const asked = isAll ? {} : { state: 'open', sort: 'begun' };
    const page = await desk.get<DeskPage<AlertView>>('alerts', { ...pageAsked(cli), ...asked });
    await cli.out.page(
      page,
      [
        { key: 'begunAt', title: 'since', time: true },
        ...(isAll ? [{ key: 'endedAt', title: 'over', time: true } as const] : []),
        { key: 'title' },
        { key: 'message' },
        { key: 'hint', title: 'to do' },
      ],
      isAll
        ? 'no alert in the last 90 days'
        : 'no alert is open; those that are over: appctl alerts list --all',
    );
  });
}

/** `appctl alerts test`: ends with 9 unless everybody was reached. */
export function testAlerts(cli: Cli): Promise<number> {
  return withLocal(cli, async ({ ctx }) => {
    const results = await tryAll(ctx);
    await cli.out.value({ results }, (paint) =>
      results
        .map(({ way, to, error }) =>
          error === null
            ? `${paint('green', 'ok')} ${way} ${to}`
            : `${paint('red', 'failed')} ${way} ${to}: ${error}`,
        )
        .join('\n'),
    );
    if (results.length === 0)
      cli.note(
        'alerts go nowhere: appctl setup creates an owner; or set alerts.email, alerts.webhook or alerts.ping',
      );
    const isReached = results.every(({ error }) => error === null);
    return isReached && results.length > 0 ? exits.done : exits.unreachable;
  });
}
