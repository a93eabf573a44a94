import { buildInfo } from '#kernel/build-info.ts';
import { isoTime, systemClock } from '#kernel/clock.ts';
import type { CertificateStatus } from './certificate-keeper.ts';

/** What a running server says about itself, over its admin socket and on its status page. */
export interface ServerStatus {
  pid: number;
  version: string;
  startedAt: string;
  uptimeSec: number;
  url: string;
  urls: readonly string[];
  /** Of TLS; null without. */
  certificate: CertificateStatus | null;
}

/** What a server knows of itself since it began to start. */
export interface ServerReport {
  /** @param url as a browser on this machine opens it; `urls` is each address as it listens */
  listens(url: string, urls: readonly string[], certificate: () => CertificateStatus | null): void;
  readonly status: () => ServerStatus;
}

export function createServerReport(): ServerReport {
  const startedMs = systemClock.monotonicMs();
  const startedAt = isoTime(systemClock.epochMs());
  let reached: Pick<ServerStatus, 'url' | 'urls'> = { url: '', urls: [] };
  let certificate: () => CertificateStatus | null = () => null;
  return {
    listens(url, urls, shown) {
      reached = { url, urls };
      certificate = shown;
    },
    status: () => ({
      pid: process.pid,
      version: buildInfo().version,
      startedAt,
      uptimeSec: Math.round((systemClock.monotonicMs() - startedMs) / 1000),
      ...reached,
      certificate: certificate(),
    }),
  };
}
