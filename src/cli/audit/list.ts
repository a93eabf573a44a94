import * as audit from '#platform/audit/index.ts';
import type { AuditEntry } from '#platform/audit/view.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { oneLine } from '../one-line.ts';
import { withLocal } from '../open.ts';
import { pageAsked } from '../paging.ts';
import { filterAsked } from './filter.ts';

const columns: readonly Column<AuditEntry>[] = [
  { key: 'at', time: true },
  { key: 'actor', text: ({ actor }) => oneLine(actor.label ?? actor.id ?? actor.kind) },
  { key: 'via' },
  { key: 'action' },
  { key: 'target', text: ({ target }) => `${target.type} ${target.id}` },
  { key: 'changes', text: changesOf },
];

/** `appctl audit list`. */
export const listAudit = (cli: Cli): Promise<void> =>
  withLocal(cli, async ({ ctx }) => {
    await cli.out.page(await audit.list(ctx, { ...pageAsked(cli), ...filterAsked(cli, ctx.now()) }), columns);
  });

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
