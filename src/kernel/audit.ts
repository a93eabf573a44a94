import type { Actor } from './actor.ts';

/** What of a record the audit log goes by. */
export interface AuditedRecord {
  readonly columns: Readonly<
    Record<string, { readonly traits: { readonly isSecret: boolean; readonly personal: unknown } }>
  >;
  /** Names whom the personal columns are about. */
  readonly person: string | null;
}

/** What events happen to, as the audit log names it. */
export interface AuditTarget {
  /** Name of the resource: a plural in kebab-case, such as `key-formats`. */
  readonly target: string;
  /** Describes `before` and `after`: what of them is secret, what is personal, and whose. */
  readonly record?: AuditedRecord;
  /** What of the data the log keeps, which must be neither secret nor personal; all of it when left out. */
  readonly details?: (data: Record<string, unknown>) => object;
}

/** Whose changes are audited wherever they happen; other actors' only when the change is of the installation. */
const PEOPLE: readonly Actor['kind'][] = ['staff', 'admin', 'cli'];

/**
 * Whether an event has a row in the audit log.
 *
 * @param told whom it tells, if not everybody; `isPart`: the row of another event stands for it; `isAudited`: whoever
 *   causes it
 */
export const isAudited = (
  event: { told?: 'audit' | 'subscribers'; isPart?: boolean; isAudited?: boolean },
  { kind }: Actor,
): boolean =>
  event.told === 'audit' ||
  (event.told === undefined && !event.isPart && (event.isAudited === true || PEOPLE.includes(kind)));
