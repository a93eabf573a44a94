import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import type { Asked, Filters, Selection, SelectionSpec } from '#kernel/db/selection/spec.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import { withMore } from '#kernel/http/endpoint.ts';
import { type AuditRow, auditRecord, VIAS } from './record.ts';
import { keyOf, type PersonKey } from './seal.ts';

/** A row with what opens its sealed part; null for nobody, and for one who was erased. */
export interface ReadRow extends AuditRow {
  readonly personKey: PersonKey | null;
}

const equal = (label: string, column: string) => filter.text({ label, column });

const isId = (text: string): boolean => /^[a-z]{3}_[0-9A-Z]{26}$/.test(text);

const filters = {
  actor: filter.text({
    label: 'Actor',
    // One or the other: a question about both is answered by no index.
    column: (query, actor) => void query.where(isId(actor) ? 'actor_id' : 'actor_label', actor),
  }),
  action: equal('Action', 'action'),
  targetType: equal('Kind of target', 'target_type'),
  targetId: equal('Target', 'target_id'),
  via: filter.choice(VIAS, { label: 'Way', column: 'via' }),
  tenantId: equal('Tenant', 'tenant_id'),
  requestId: equal('Request', 'request_id'),
  '': filter.times({ label: 'Time', column: 'at' }),
};

const log = selection<ReadRow>(rowsWith(filters));

/** As the log is asked for in the JSON of the store. */
const storeLog = selection<ReadRow>(
  rowsWith({
    actorId: filters.actor,
    action: filters.action,
    entity: filters.targetType,
    entityId: filters.targetId,
    via: filters.via,
    requestId: filters.requestId,
    '': filters[''],
  }),
);

function rowsWith(filters: Filters): SelectionSpec<ReadRow> {
  return {
    from: ({ db }) => db.knex(auditRecord.table),
    id: 'id',
    scope: visible,
    columns: ['*'],
    read: (row) => ({ ...auditRecord.read(row), personKey: null }),
    complete: withKeys,
    filters,
    search: {
      placeholder: 'Action, target, actor, note or what changed',
      by: ['action', 'target_type', 'target_id', 'actor_label', 'note', 'details', 'before', 'after'],
    },
    sorts: { seq: 'seq', at: 'at' },
    initial: '-seq',
  };
}

/**
 * Rows of the log that the actor may see, newest first. What is sealed is not searched. A stretch of time is read along
 * the index of times: by the numbers of the rows, all that came later would be read before it.
 */
export const auditRows = alongTimes(log);

/** The same with the names of the store's filters. */
export const storeAuditRows = alongTimes(storeLog);

function alongTimes(rows: Selection<ReadRow>): Selection<ReadRow> {
  const inOrder: Pick<Selection<ReadRow>, 'page' | 'after'> = {
    page: (ctx, asked) => rows.page(ctx, inTime(asked)),
    after: (ctx, asked) => rows.after(ctx, inTime(asked)),
  };
  return withMore(rows, inOrder);
}

function inTime<A extends Asked>(asked: A): A {
  const { sort, filters: { from, to } = {} } = asked;
  const isStretch = from !== undefined || to !== undefined;
  return sort === undefined && isStretch ? { ...asked, sort: '-at' } : asked;
}

/**
 * Whoever works on the machine or for the whole installation sees all tenants; others see theirs. Somebody who is
 * confined to products or a vendor sees what they did themselves: a row does not say whose product it is about.
 */
function visible(query: Knex.QueryBuilder, ctx: Ctx): void {
  const { actor } = ctx;
  visibleTo(ctx, query, { tenant: 'tenant_id' });
  if (actor.scopes?.license_product || actor.scopes?.vendor) query.where('actor_id', actor.id);
  const isEverywhere = actor.isInstanceWide || ['cli', 'system', 'job'].includes(actor.kind);
  if (!isEverywhere) query.where('tenant_id', ctx.tenantId);
}

async function withKeys(ctx: Ctx, rows: ReadRow[]): Promise<ReadRow[]> {
  const keys = new Map<string | null, PersonKey | null>([[null, null]]);
  for (const { personId } of rows)
    if (!keys.has(personId)) keys.set(personId, await keyOf(ctx, personId ?? ''));
  return rows.map((row) => ({ ...row, personKey: keys.get(row.personId) ?? null }));
}
