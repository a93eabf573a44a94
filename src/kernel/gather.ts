import type { Capability, Job, LocalPart, StaffResource, Waiting } from './capability.ts';
import type { Ctx, Subscriber, Subscriptions } from './context.ts';
import type { Declared } from './events.ts';
import { type Fillings, fillingsOf } from './extension.ts';
import { type Endpoint, withMore } from './http/endpoint.ts';
import type { Page } from './http/page.ts';
import type { Around } from './http/site.ts';
import type { Answered, Surface } from './http/surface.ts';
import type { MailSpec, StaffMail } from './mail.ts';
import type { MetricGroup } from './metric.ts';
import { isOn } from './settings-reader.ts';
import { sharing } from './sharing.ts';

/** What a list of capabilities comes to; what each request asks of it is collected here, once. */
export interface Gathered {
  readonly endpoints: readonly Endpoint[];
  readonly adminEndpoints: readonly Endpoint[];
  readonly storeEndpoints: readonly Endpoint[];
  readonly resources: readonly StaffResource[];
  readonly pages: readonly Page[];
  readonly layouts: Readonly<Record<string, Around>>;
  /** What waits for the actor, by each capability that knows of something. */
  readonly waits: readonly ((ctx: Ctx) => Promise<readonly Waiting[]>)[];
  readonly jobs: readonly Job[];
  readonly metrics: readonly MetricGroup[];
  readonly mails: readonly MailSpec[];
  readonly staffMails: readonly StaffMail[];
  /** Shows an answer to every capability that wants to see it, in the order of the list. */
  answered(answer: Answered): void;
  /** The longest time for which a capability shuts an address out, in seconds; 0 when none does. */
  shutOutSeconds(ctx: Ctx, address: string): number;
  readonly sealFor: NonNullable<Surface['sealFor']>;
}

/**
 * Collects what capabilities declare, each under its switch (`enabledBy`). The same list is collected once.
 *
 * @param capabilities in the order in which their jobs are listed and their observers called
 * @throws Error when two of them seal answers
 */
export const gather = (capabilities: readonly Capability[]): Gathered => gathered(capabilities, collect);

const gathered = sharing<readonly Capability[], Gathered>(new WeakMap());

function collect(capabilities: readonly Capability[]): Gathered {
  const endpoints = capabilities.flatMap((one) => switched(one, one.endpoints));
  return {
    endpoints,
    adminEndpoints: capabilities.flatMap((one) =>
      switched(one, [...resourceEndpoints(one, 'license-admin'), ...(one.adminEndpoints ?? [])]),
    ),
    storeEndpoints: capabilities.flatMap((one) =>
      switched(one, [...resourceEndpoints(one, 'store'), ...(one.storeEndpoints ?? [])]),
    ),
    resources: capabilities.flatMap((one) => switched(one, one.resources)),
    pages: capabilities.flatMap((one) => switched(one, one.pages)),
    layouts: Object.assign({}, ...capabilities.map(({ layouts }) => layouts)),
    waits: capabilities.flatMap((one) => {
      const { waits } = one;
      return waits ? [async (ctx: Ctx) => (isOn(one, ctx) ? await waits(ctx) : [])] : [];
    }),
    jobs: capabilities.flatMap((one) => switched(one, one.jobs)),
    metrics: capabilities.flatMap((one) => switched(one, one.metrics)),
    mails: capabilities.flatMap(({ mails = [], staffMails = [] }) => [
      ...mails,
      ...staffMails.map(({ mail }) => mail),
    ]),
    staffMails: capabilities.flatMap(({ staffMails = [] }) => staffMails),
    answered: observer(capabilities),
    shutOutSeconds: shutter(capabilities),
    sealFor: sealer(capabilities, endpoints),
  };
}

/** What its resources come to on a surface of staff. */
const resourceEndpoints = ({ resources = [] }: Capability, surface: string): Endpoint[] =>
  resources.flatMap((one) => one.endpoints(surface));

/** Parts of a capability, each of which asks its switch when it is used. */
const switched = <T extends object>(
  { enabledBy }: Pick<Capability, 'enabledBy'>,
  parts: readonly T[] = [],
): readonly T[] => (enabledBy === undefined ? parts : parts.map((part) => withMore(part, { enabledBy })));

/** What one of them throws keeps nothing from the others: the answer has been sent. */
function observer(capabilities: readonly Capability[]): Gathered['answered'] {
  const observers = capabilities.flatMap((one) => (one.sees ? [{ ...one, sees: one.sees }] : []));
  return (answer) => {
    for (const one of observers) {
      try {
        if (isOn(one, answer.ctx)) one.sees(answer);
      } catch (error) {
        const { requestId } = answer.ctx.origin;
        answer.ctx.log.error({ err: error, requestId, capability: one.name }, 'an answer was not observed');
      }
    }
  };
}

function shutter(capabilities: readonly Capability[]): Gathered['shutOutSeconds'] {
  const shutters = capabilities.flatMap((one) => (one.shutOut ? [{ ...one, shutOut: one.shutOut }] : []));
  return (ctx, address) => {
    let longest = 0;
    for (const one of shutters) {
      const seconds = isOn(one, ctx) ? one.shutOut(ctx, address) : 0;
      if (seconds > longest) longest = seconds;
    }
    return longest;
  };
}

function sealer(capabilities: readonly Capability[], endpoints: readonly Endpoint[]): Gathered['sealFor'] {
  const [only, another] = capabilities.filter(({ seal }) => seal !== undefined);
  if (another) throw new Error(`${only?.name} and ${another.name} both seal answers`);
  const sealFor = only?.seal?.(endpoints);
  return sealFor ?? (() => null);
}

/**
 * Demands that the events of capabilities have a name of their own, and that what they listen to is declared.
 *
 * @throws Error for an event that is declared twice, or that is listened to and not declared: it would never come
 */
export function requireDeclaredEvents(capabilities: readonly Capability[]): void {
  const declared = new Set<string>();
  for (const name of capabilities.flatMap(({ events = [] }) => events.flatMap(namesOf))) {
    if (declared.has(name)) throw new Error(`${name} is declared twice`);
    declared.add(name);
  }
  for (const { name, subscribers = [] } of capabilities) {
    for (const { service, type } of subscribers) {
      if (!declared.has(`${service} ${type}`))
        throw new Error(`${name} listens to ${type}, which no capability declares`);
    }
  }
}

/** Collects the subscribers of capabilities, each under the switch of its own. */
export function subscriptionsOf(capabilities: readonly LocalPart[]): Subscriptions {
  const byType = new Map<string, Subscriber[]>();
  for (const capability of capabilities) {
    for (const one of capability.subscribers ?? []) {
      const others = byType.get(one.type) ?? [];
      byType.set(one.type, [...others, resting(capability, one)]);
    }
  }
  return byType;
}

/** Collects what capabilities put into open places, each under the switch of its own. */
export const fillingsIn = (capabilities: readonly LocalPart[]): Fillings =>
  fillingsOf(capabilities.flatMap((one) => switched(one, one.fills)));

const namesOf = ({ service, names }: Declared): string[] => names.map((type) => `${service} ${type}`);

const resting = (capability: LocalPart, one: Subscriber): Subscriber => ({
  ...one,
  run: async (ctx, event) => (isOn(capability, ctx) ? one.run(ctx, event) : undefined),
});
