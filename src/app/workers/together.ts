import { systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import type { LoadedConfig } from '#kernel/config/load.ts';
import { BlockedAddresses } from '#kernel/http/blocked-addresses.ts';
import type { CommonLimits } from '#kernel/http/common-windows.ts';
import type { CredentialFailures } from '#kernel/http/credential-failures.ts';
import type { MetricsOptions, MetricsText } from '#kernel/http/metrics.ts';
import { lasting, type OwnFigures } from '#kernel/http/summed-metrics.ts';
import { othersOf } from '#kernel/other-processes.ts';
import type { ServerLog } from '#kernel/server-log.ts';
import type { Counting } from '../http-runtime.ts';
import type { Instance } from '../instance.ts';
import type { ServerStatus } from '../server-report.ts';
import { balanceConnections } from './balance.ts';
import { leadLimits, removeOldLimits } from './common-limits.ts';
import type { Crew } from './crew.ts';
import type { First } from './first.ts';

/** What a process that serves beside the first has of it. */
export interface Beside {
  /** Null where a store counts. */
  readonly common: CommonLimits | null;
  readonly failures: CredentialFailures;
  metrics(): Promise<MetricsText>;
  readonly server: Pick<ServerStatus, 'pid' | 'startedAt'>;
}

/** What the first process needs to start the others. */
export interface Leading {
  readonly loaded: LoadedConfig;
  readonly serverLog: ServerLog;
}

/** The processes of one server, as one of them sees them. */
export interface Together {
  /** Whether this one has jobs, webhooks and counts for all of them. */
  readonly isFirst: boolean;
  readonly metrics: Pick<MetricsOptions, 'others' | 'first'>;
  readonly counting: Counting;
  workers(): ServerStatus['workers'];
  /** Resolves when all of them serve; what fails is in the log. */
  complete(): Promise<void>;
  /** This one listens. */
  begin(first: Omit<First, keyof Leading | 'common' | 'blocked' | 'onEnd'>): Promise<void>;
  /** Has the others write what waits in their memory. */
  flush(): Promise<void>;
  rest(isResting: boolean): void;
  reload(level: Config['log']['level']): Promise<void>;
  stop(): Promise<void>;
  /** The server before this one has ended. */
  lead(): void;
  /** This process counts limits by itself from now on, for what it still answers. */
  close(): void;
}

/** What a process is among those of a server. */
interface Place {
  /** Of one that is not the first. */
  readonly beside?: Beside | undefined;
  /** Of one that starts the others; without it a server has one process. */
  readonly leading?: Leading | undefined;
  /** Another server of this data directory still serves. */
  readonly follows?: object | undefined;
}

/** Makes what a process has of the others. */
export function togetherOf(
  { config, ctx }: Pick<Instance, 'config' | 'ctx'>,
  { beside, leading, follows }: Place,
): Together {
  const wanted = leading || beside ? config.workers : 1;
  // Of a server that still serves, the files are needed until it has ended.
  const isAlone = beside === undefined && follows === undefined;
  const leads = leading !== undefined && wanted > 1 && config.rateLimit.store === 'memory';
  const { common, lead, close } = commonLimitsOf({ config, ctx }, { leads, isAlone, beside });
  const processes = othersOf(ctx);
  if (beside === undefined) processes.processes = { ...processes.processes, wanted };
  let crew: Crew | null = null;
  let complete = Promise.resolve();
  let endBalance = (): void => undefined;
  const blocked = new BlockedAddresses(systemClock);
  const { onEnd, ended } = countersOfEnded();
  const others = async () => [...((await crew?.figures()) ?? []), await ended()];
  return {
    isFirst: beside === undefined,
    metrics: beside ? { first: beside.metrics } : leading && wanted > 1 ? { others } : {},
    counting: {
      common,
      failures: beside?.failures,
      onBlocked(address, seconds) {
        if (wanted === 1) return;
        blocked.add(address, seconds);
        crew?.tell('blocked', { address, seconds });
      },
    },
    workers: () => processes.processes,
    async begin(first) {
      if (wanted === 1) return;
      endBalance = balanceConnections(ctx, first.http.state);
      if (!leading) return;
      const { startCrew } = await import('./first.ts');
      ({ crew, complete } = startCrew({ ...first, ...leading, common, blocked: () => blocked.all(), onEnd }));
    },
    complete: () => complete,
    rest: (isResting) => crew?.tell('rest', isResting),
    reload: async (level) => crew?.order('reload', level),
    flush: async () => crew?.order('flush', null),
    stop: async () => crew?.stop(),
    lead,
    close() {
      endBalance();
      close();
    },
  };
}

/** The windows that all processes count, and what becomes of those of earlier servers. */
function commonLimitsOf(
  { config: { dataDir }, ctx: { log } }: Pick<Instance, 'config' | 'ctx'>,
  { leads, isAlone, beside }: { leads: boolean; isAlone: boolean; beside: Beside | undefined },
): Pick<Together, 'lead' | 'close'> & { readonly common: CommonLimits | null } {
  const common = leads ? leadLimits(dataDir, isAlone, log) : (beside?.common ?? null);
  const removeOld = (): void => removeOldLimits(dataDir, (leads && common?.folder) || null, log);
  if (isAlone && !leads) removeOld();
  return {
    common,
    lead: isAlone ? () => undefined : removeOld,
    close: () => (leads ? common?.close() : undefined),
  };
}

/** Counters of processes that have ended, added up. */
function countersOfEnded() {
  let sum: Promise<OwnFigures> = Promise.resolve([]);
  return {
    onEnd(figures: OwnFigures): void {
      // One after the other, since two may end at once.
      sum = sum.then((before) => lasting([before, figures]));
    },
    ended: () => sum,
  };
}
