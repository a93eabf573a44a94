import type { AuditTarget } from './audit.ts';
import type { Ctx, DomainEvent, EventBody, StoredEvent, Subscriber } from './context.ts';

declare const data: unique symbol;

/** What an event of one name tells; its data is known to the compiler alone. */
export interface EventSpec<D extends object = object> {
  /**
   * `all`: a line of the timeline and, where its service sends it, webhooks. `audit`: a row of the audit log alone.
   * `subscribers`: nothing is written.
   */
  readonly told: 'all' | 'audit' | 'subscribers';
  readonly [data]?: D;
}

/**
 * An event of this data, with a line in the timeline. When a person causes it, the audit log has a row of it, too, to
 * which the line refers.
 */
export const event = <D extends object>(): EventSpec<D> => ({ told: 'all' });

/** A change of the installation itself: a row of the audit log, whoever makes it, and no line in the timeline. */
export const change = <D extends object>(): EventSpec<D> => ({ told: 'audit' });

/** What only subscribers are told, in the transaction in which it happens: no row of it is written. */
export const signal = <D extends object>(): EventSpec<D> => ({ told: 'subscribers' });

/** What is told beside the data; `before` and `after` are whole objects of the record, of which the log keeps what differs. */
type More = Pick<EventBody, 'forReceivers' | 'isPart' | 'isAudited'> & {
  readonly [K in 'diff' | 'before' | 'after' | 'note']?: EventBody[K] | undefined;
} & {
  /** Name of another resource than the declared one, and its record. */
  readonly target?: string;
  readonly record?: AuditTarget['record'];
};

/** Names of events, and whose they are. */
export interface Declared {
  readonly service: string;
  readonly names: readonly string[];
}

/** The events of one capability or contract, by name with their data. They alone are what `ctx.emit` takes. */
export interface Events<M> extends Declared {
  /** @param subject id of the thing that it happened to */
  of<N extends keyof M & string>(type: N, subject: string, data: M[N], more?: More): DomainEvent;
  /** Emits one event in the transaction of the change. A misspelt name and other data do not compile. */
  tell<N extends keyof M & string>(
    ctx: Ctx,
    type: N,
    subject: string,
    data: M[N],
    more?: More,
  ): Promise<void>;
}

/**
 * Declares events.
 *
 * @param service whose webhooks may be told of them
 * @param specs by name: `event`, `change` or `signal`, with the type of the data
 * @param target what they happen to, for the audit log
 * @throws Error for a `change` without a target: its row would say nothing of where it belongs
 */
export function defineEvents<M extends Record<string, object>>(
  service: string,
  specs: { readonly [N in keyof M]: EventSpec<M[N]> },
  target?: AuditTarget,
): Events<M> {
  const names = Object.keys(specs);
  if (!target && names.some((name) => specs[name]?.told === 'audit'))
    throw new Error(`${names[0]} and the changes declared with it name no target`);
  const of: Events<M>['of'] = (type, subject, data, { record, ...more } = {}) => {
    const { told } = specs[type];
    const body: EventBody = { type, service, subject, data: data as Record<string, unknown> };
    const said = Object.entries(more).filter(([, value]) => value !== undefined);
    const own =
      more.target === undefined ? target : { ...target, target: more.target, ...(record && { record }) };
    Object.assign(body, Object.fromEntries(said), told !== 'all' && { told }, own && { target: own });
    return body as DomainEvent;
  };
  return { service, names, of, tell: (ctx, ...told) => ctx.emit(of(...told)) };
}

/** A stored event as its subscriber reads it. */
export type Heard<D> = Omit<StoredEvent, 'data'> & { readonly data: D };

/** Subscribes to an event. One that is announced, outside of any transaction, has no subscribers. */
export const on = <M, N extends keyof M & string>(
  { service }: Events<M>,
  type: N,
  run: (ctx: Ctx, event: Heard<M[N]>) => Promise<unknown>,
): Subscriber => ({ service, type, run: run as unknown as Subscriber['run'] });

/** The names of declared events. */
export type NameOf<E> = E extends Events<infer M> ? keyof M & string : never;

type DataOf<E, N> = E extends Events<infer M> ? (N extends keyof M ? M[N] : never) : never;

/**
 * As `on`, by the type of the events alone: what every short command has subscribes without loading the records that
 * the events are declared with.
 *
 * @param service whose events they are
 */
export const onEventsOf =
  <E extends Declared>(service: string) =>
  <N extends NameOf<E>>(
    type: N,
    run: (ctx: Ctx, event: Heard<DataOf<E, N>>) => Promise<unknown>,
  ): Subscriber => ({ service, type, run: run as unknown as Subscriber['run'] });
