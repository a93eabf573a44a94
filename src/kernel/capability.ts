import type { Check } from './check.ts';
import type { Ctx, Subscriber } from './context.ts';
import type { TableRecord } from './db/record.ts';
import type { Declared } from './events.ts';
import type { Filling } from './extension.ts';
import type { Endpoint } from './http/endpoint.ts';
import type { Page } from './http/page.ts';
import type { Around } from './http/site.ts';
import type { Answered, Asked, Seal } from './http/surface.ts';
import type { BrandSource, MailSpec, StaffMail } from './mail.ts';
import type { MetricGroup } from './metric.ts';
import type { Setting } from './settings.ts';
import type { SettingName } from './settings-reader.ts';

/** Recurring work: selects what is due by time in the database and does it in small transactions. */
export interface Job {
  readonly name: string;
  readonly description: string;
  readonly everySeconds: number;
  /**
   * Waits one interval after the wall clock jumped ahead, and after a time without a server: neither a wrong clock nor
   * an outage may end what is alive (M20).
   */
  readonly waitsAfterClockStep?: boolean;
  /**
   * Writes what waits in the memory of a process, or judges what only this process can: each serving process runs it on
   * its own timer, without the lease that lets one process at a time run any other job, and once more when it ends.
   */
  readonly everyProcess?: true;
  /** Works with what only a serving process has, such as its sockets: a command leaves it to the server. */
  readonly needsServer?: true;
  /** What the timer runs instead, where `run` is too much to do beside requests: a part of what waits. */
  runPart?(ctx: Ctx): Promise<Record<string, number>>;
  /** Counts of what was done, for `jobs run` and the panel. */
  run(ctx: Ctx): Promise<Record<string, number>>;
  /** The switch of its capability; `gather` sets it. */
  readonly enabledBy?: SettingName<boolean>;
}

/** Writes what waits in the memory of a process. @returns one count, or several by name */
export type Flush = (ctx: Ctx) => Promise<number | Record<string, number>>;

/** Which answers of these endpoints are sealed, and how; null for a request that asks for no seal. */
export type Sealer = (endpoints: readonly Endpoint[]) => (endpoint: Endpoint, asked: Asked) => Seal | null;

/** What the program knows of a thing that staff works with (admin.md 1). */
export interface StaffResource {
  /** Plural, kebab-case. */
  readonly name: string;
  readonly labels: { readonly one: string; readonly many: string };
  /** What the first words of its paths on a surface stand for, in the document. */
  tags(surface: string): Readonly<Record<string, string>>;
  /** What a text finds of it, for whoever acts. @param limit at most so many */
  search(
    ctx: Ctx,
    text: string,
    limit: number,
  ): Promise<readonly { resource: string; id: string; title: string; hint: string | null }[]>;
  /** @param surface name of a staff surface; none where it does not stand on it */
  endpoints(surface: string): readonly Endpoint[];
  /** The switch of its capability; `gather` sets it. */
  readonly enabledBy?: SettingName<boolean>;
}

/** Something that waits for somebody, and the page on which it is done. */
export interface Waiting {
  readonly words: string;
  readonly href: string;
  /** Advice for the time before customers come: it is no trouble, and is not counted among it. */
  readonly isAdvice?: true;
}

/** Everything that one capability adds to its service; its folder's index.ts exports exactly one of these. */
export interface Capability {
  readonly name: string;
  /**
   * While this setting is off, the endpoints and pages of the capability answer as unknown ones, and its jobs,
   * subscribers and observers rest. What it flushes is still written.
   */
  readonly enabledBy?: SettingName<boolean>;
  readonly endpoints?: readonly Endpoint[];
  /** Of the admin API: the scope of each is the permission that it asks for. */
  readonly adminEndpoints?: readonly Endpoint[];
  /** Of the store's API, for shoppers and for staff. */
  readonly storeEndpoints?: readonly Endpoint[];
  /** What staff works with: each makes endpoints of its own on the surfaces that it stands on. */
  readonly resources?: readonly StaffResource[];
  readonly pages?: readonly Page[];
  /** What layouts show around pages, by the names of the layouts. */
  readonly layouts?: Readonly<Record<string, Around>>;
  /** What waits for the actor, of what it may see: pages of staff show it, so that it must be quick. */
  readonly waits?: (ctx: Ctx) => Promise<readonly Waiting[]>;
  readonly jobs?: readonly Job[];
  readonly settings?: readonly Setting[];
  readonly checks?: readonly Check[];
  /** What Prometheus can watch of it. */
  readonly metrics?: readonly MetricGroup[];
  /** The tables that it owns: it alone writes their rows. */
  readonly records?: readonly TableRecord[];
  /** Makes anew what follows from its tables and no copy takes, such as an index over words. It may run again. */
  readonly rebuilds?: (ctx: Ctx) => Promise<void>;
  /** Mails that the capability sends. */
  readonly mails?: readonly MailSpec[];
  /** Mails to members of staff, of those that it sends. */
  readonly staffMails?: readonly StaffMail[];
  /** How mails look; of several the last one counts. */
  readonly mailBrand?: BrandSource;
  /** Events that the capability emits. */
  readonly events?: readonly Declared[];
  /** What it does about events of its own and of others, in the order of the list. */
  readonly subscribers?: readonly Subscriber[];
  /** What it puts into places that parts below it leave open. */
  readonly fills?: readonly Filling[];
  /** Fills the memory of a serving process before it listens. */
  readonly start?: (ctx: Ctx) => Promise<void>;
  /** Looks at every answer of every API once it has been sent. It must neither wait nor throw. */
  readonly sees?: (answer: Answered) => void;
  /**
   * Seconds for which an address may present no credential; 0 when it may. Asked before every request that carries
   * one, so that it must cost nothing while nobody is shut out.
   *
   * @param address under which the client is limited
   */
  readonly shutOut?: (ctx: Ctx, address: string) => number;
  /** Seals answers; at most one capability of a surface does. */
  readonly seal?: Sealer;
  /**
   * What it keeps in memory until it is written, by the name of its count: every ten seconds and when the process ends.
   * `part` is what is written beside requests, where all of it would be too much.
   */
  readonly flushes?: Readonly<Record<string, Flush | { readonly all: Flush; readonly part: Flush }>>;
}

/** The part of a capability that every process of the program has, a short command too: it must load little. */
export type LocalPart = Pick<
  Capability,
  'name' | 'enabledBy' | 'settings' | 'subscribers' | 'fills' | 'mailBrand'
>;

/** Declares a capability (architecture section 7). */
export const capability = (spec: Capability): Capability => spec;
