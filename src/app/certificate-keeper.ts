import { type CertificateFacts, certificateFacts } from '#kernel/certificate-facts.ts';
import { systemClock } from '#kernel/clock.ts';
import type { TlsConfig } from '#kernel/config/config.ts';
import type { Certificate, RunningServer } from '#kernel/http/server.ts';
import type { Log } from '#kernel/log.ts';
import { readPair, stateOf } from './tls.ts';

/** What a server says of the certificate that it shows. */
export interface CertificateStatus extends CertificateFacts {
  /** It signs itself, until an authority has issued one. */
  readonly isPlaceholder: boolean;
  /** Why the files that are there now are not shown; null when they are. */
  readonly problem: string | null;
}

/** Keeps the certificate of a server that runs that of its files. */
export interface CertificateKeeper {
  /** Looks at the files every few seconds from now on. */
  begin(servers: readonly RunningServer[]): void;
  /** Shows what is in the files now, if it has changed. */
  reload(): void;
  status(): CertificateStatus;
  /** What is shown now. */
  pair(): Certificate;
  end(): void;
}

const LOOK_MS = 2000;

/**
 * Replaces the certificate of running servers when its files change. Connections that are open stay. A pair that cannot
 * be used is reported, and the one before it stays.
 *
 * @param first what the server begins with
 */
export function keepCertificate(tls: TlsConfig, first: Certificate, log: Log): CertificateKeeper {
  let servers: readonly RunningServer[] = [];
  let timer: NodeJS.Timeout | undefined;
  let pairShown = first;
  let shown = certificateFacts(first.cert);
  let isPlaceholder = tls.acme !== undefined && shown.beginsAt === shown.endsAt;
  let problem: string | null = null;
  // Of the files that were looked at last, and of those that were judged.
  let seen = stateOf(tls);
  let judged = isPlaceholder ? '' : seen;

  const reload = (): void => {
    const state = stateOf(tls);
    // What could not be used is tried again when somebody asks for it.
    if (state === judged && problem === null) return;
    judged = state;
    try {
      const pair = readPair(tls);
      const facts = certificateFacts(pair.cert);
      requireNotEnded(facts.endsAt, shown.endsAt);
      for (const server of servers) server.show(pair);
      pairShown = pair;
      [shown, problem, isPlaceholder] = [facts, null, false];
      log.info({ name: facts.name, endsAt: facts.endsAt }, 'the certificate was reloaded');
    } catch (error) {
      problem = (error as Error).message;
      log.error({ err: error, files: [tls.certFile, tls.keyFile] }, 'the changed certificate cannot be used');
    }
  };
  const look = (): void => {
    const state = stateOf(tls);
    // Whoever writes two files writes one of them first: a pair is judged when it has rested.
    if (state === seen && state !== judged && !(isPlaceholder && state.includes('missing'))) reload();
    seen = state;
  };
  return {
    begin(all) {
      servers = all;
      timer = setInterval(look, LOOK_MS);
      timer.unref();
    },
    reload,
    status: () => ({ ...shown, isPlaceholder, problem }),
    pair: () => pairShown,
    end: () => clearInterval(timer),
  };
}

/** A certificate that has ended takes the place of another one that has, and of no valid one. */
function requireNotEnded(endsAt: string, before: string): void {
  const now = systemClock.epochMs();
  if (Date.parse(endsAt) <= now && Date.parse(before) > now)
    throw new Error(`the certificate ended at ${endsAt}`);
}
