import { dirname } from 'node:path';
import type { ChallengeAnswers } from '#kernel/http/redirect.ts';
import type { ShownCertificate } from '#kernel/http/server.ts';
import {
  acmeInForce,
  answerTo,
  bringHere,
  proofOf,
  readChallenges,
  tellAuthority,
} from '#platform/certificates/index.ts';
import type { Instance } from './instance.ts';
import { serverName } from './server-name.ts';

/** What a server of `tls.acme` does beside: it answers the authority, and takes what other servers ordered. */
export interface CertificateOrders {
  readonly proofOf: NonNullable<ShownCertificate['proofOf']>;
  readonly challenges: ChallengeAnswers;
  /** Of every second, until it ends. */
  begin(): void;
  end(): void;
}

const LOOK_MS = 1000;
/** Looks between two at the certificate itself. */
const CERTIFICATE_LOOKS = 5;
/** Looks after which other servers are told for which authority this one is configured. */
const AUTHORITY_LOOKS = 60;

/** @param show has the server show the file; null where no authority issues the certificate */
export function certificateOrders(instance: Instance, show: () => void): CertificateOrders | null {
  const { config, ctx, database } = instance;
  const { acme, certFile } = config.tls ?? {};
  if (acme === undefined || certFile === undefined) return null;
  ctx.memory.of(acmeInForce).here = {
    acme,
    server: serverName(instance),
    folder: dirname(certFile),
    file: certFile,
    hasPlainHttp: config.redirectListen.length > 0,
    hasOthers: database.dialect !== 'sqlite' || config.workers > 1,
    show,
  };
  let timer: NodeJS.Timeout | undefined;
  let looks = 0;
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      await readChallenges(ctx);
      if (looks % CERTIFICATE_LOOKS === 0) await bringHere(ctx);
      if (looks % AUTHORITY_LOOKS === 0) await tellAuthority(ctx);
      looks += 1;
    } catch (error) {
      // While the database is away nothing is ordered either.
      ctx.log.debug({ err: error }, 'challenges were not read');
    } finally {
      isLooking = false;
    }
  };
  return {
    proofOf: (name) => proofOf(ctx, name),
    challenges: (token) => answerTo(ctx, token),
    begin() {
      timer = setInterval(() => void look(), LOOK_MS);
      timer.unref();
      void look();
    },
    end: () => clearInterval(timer),
  };
}
