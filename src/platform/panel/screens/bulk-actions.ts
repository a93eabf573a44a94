import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { ANY_STAFF, type Form, type Level } from '../../admin/index.ts';
import { type FormField, fieldsOf } from '../forms/fields.ts';
import { type Desk, mayDo } from './registry.ts';

/** What can be done with several rows at once. */
export interface BulkAction {
  readonly name: string;
  readonly label: string;
  readonly level: Level;
  readonly isSudo: boolean;
  readonly summary: string | null;
  readonly fields: readonly FormField[];
}

/** Fields by which the form of a run says what is done, and with which rows: an input of such a name keeps its default. */
const OF_THE_RUN: ReadonlySet<string> = new Set(['action', 'ids', 'all', 'filter', 'sure', '_once', '_as']);

/** Those that somebody may do. */
export function bulkActionsOf(desk: Desk, { actor }: Ctx): readonly BulkAction[] {
  const { ops, screen, labels } = desk;
  if (!mayDo(actor, ops.bulk)) return [];
  const { actions = {}, remove, needs } = ops.spec;
  const fieldsFor = (input: Form | undefined) =>
    input ? fieldsOf(input, screen).filter(({ name }) => !OF_THE_RUN.has(name)) : [];
  const several = Object.entries(actions)
    .filter(([name, { where, needs: need }]) => {
      const isOffered = (where === 'both' || where === 'bulk') && !screen.without?.includes(name);
      return isOffered && (need === ANY_STAFF || allows(actor, need));
    })
    .map(([name, { label, level, sudo, summary, input }]) => ({
      name,
      label,
      level,
      isSudo: sudo === true,
      summary: summary ?? null,
      fields: fieldsFor(input),
    }));
  const need = needs.remove ?? needs.write;
  if (!remove?.isBulk || need === undefined || !allows(actor, need)) return several;
  return [
    ...several,
    {
      name: 'delete',
      label: 'Delete',
      level: remove.level,
      isSudo: remove.sudo === true,
      summary: remove.summary ?? `Delete ${labels.many}`,
      fields: fieldsFor(remove.input),
    },
  ];
}
