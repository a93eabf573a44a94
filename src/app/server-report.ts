import { buildInfo } from '#kernel/build-info.ts';
import { isoTime, systemClock } from '#kernel/clock.ts';
import type { ServerProcesses } from '#kernel/other-processes.ts';
import type { CertificateStatus } from './certificate-keeper.ts';

/** What a running server says about itself, over its admin socket and on its status page. */
export interface ServerStatus {
  pid: number;
  version: string;
  startedAt: string;
  uptimeSec: number;
  url: string;
  urls: readonly string[];
  /** It is drained; a server of an older version does not say so. */
  isResting?: boolean;
  /** Its processes; a server of an older version does not say which ended. */
  workers: Pick<ServerProcesses, 'serving' | 'wanted'> & Partial<ServerProcesses>;
  /** Of TLS; null without. */
  certificate: CertificateStatus | null;
}

/** What a server knows of itself since it began to start. */
export interface ServerReport {
  /** @param url as a browser on this machine opens it; `urls` is each address as it listens */
  listens(url: string, urls: readonly string[], certificate: () => CertificateStatus | null): void;
  readonly status: () => ServerStatus;
}

/**
 * @param workers how many processes serve now
 * @param first the first process of the server, where that is another one
 */
export function createServerReport(
  workers: () => ServerStatus['workers'],
  first: Pick<ServerStatus, 'pid' | 'startedAt'> = {
    pid: process.pid,
    startedAt: isoTime(systemClock.epochMs()),
  },
): ServerReport {
  const startedMs = systemClock.monotonicMs() - (systemClock.epochMs() - Date.parse(first.startedAt));
  let reached: Pick<ServerStatus, 'url' | 'urls'> = { url: '', urls: [] };
  let certificate: () => CertificateStatus | null = () => null;
  return {
    listens(url, urls, shown) {
      reached = { url, urls };
      certificate = shown;
    },
    status: () => ({
      ...first,
      version: buildInfo().version,
      uptimeSec: Math.round((systemClock.monotonicMs() - startedMs) / 1000),
      ...reached,
      workers: workers(),
      certificate: certificate(),
    }),
  };
}
