import type { AuditEntry } from '#platform/audit/view.ts';
import { type Desk, type Query, timeAt } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { pageAsked, pageOf } from '../paging.ts';
import { oneLine } from '../printed-text.ts';
import { requireAction } from './action.ts';
import { filterAsked } from './filter.ts';
import { withAudit } from './twin.ts';

const columns: readonly Column<AuditEntry>[] = [
  { key: 'at', time: true },
  { key: 'actor', whole: true, text: ({ actor }) => oneLine(actor.label ?? actor.id ?? actor.kind) },
  { key: 'via' },
  { key: 'action', whole: true },
  { key: 'target', whole: true, text: ({ target }) => `${target.type} ${target.id}` },
  { key: 'changes', text: changesOf },
];

/** `appctl audit list`. */
export const listAudit = (cli: Cli): Promise<void> =>
  withAudit(cli, async (desk) => {
    const asked = pageAsked(cli);
    const filters = filterAsked(cli, timeAt(desk));
    const { total } = await desk.get<{ total: number }>('audit-log/count', filters);
    const items = await pageAt(desk, filters, asked);
    if (total === 0) await requireAction(cli);
    const isFiltered = Object.values(filters).some((value) => value !== undefined);
    const empty = isFiltered ? 'no audit log entries match; to see all: appctl audit list' : undefined;
    await cli.out.page(pageOf(asked, items, total), columns, empty);
  });

/** The log is read from its end, page by page. */
async function pageAt(
  desk: Desk,
  filters: Query,
  { page, limit }: { page: number; limit: number },
): Promise<AuditEntry[]> {
  let cursor: string | undefined;
  for (let at = 1; ; at += 1) {
    const { items, nextCursor } = await desk.get<Log>('audit-log', { ...filters, limit, cursor });
    if (at === page) return items;
    if (nextCursor === null) return [];
    cursor = nextCursor;
  }
}

interface Log {
  readonly items: AuditEntry[];
  readonly nextCursor: string | null;
}

/** What was changed, field by field; of what was made or deleted that says the action. */
function changesOf({ before, after }: AuditEntry): string {
  if (!before || !after) return '';
  return Object.keys(after)
    .filter((name) => name !== 'updatedAt')
    .map((name) => `${name}: ${shown(before[name])} → ${shown(after[name])}`)
    .join(', ');
}

const LONGEST = 40;

function shown(value: unknown): string {
  const text = oneLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
