import { buildInfo } from '#kernel/build-info.ts';
import { systemClock } from '#kernel/clock.ts';
import { clientAddressReader } from '#kernel/http/client-address.ts';
import { answerEarly, answerHealth, createHealthProbe } from '#kernel/http/health.ts';
import { Leaving } from '#kernel/http/leaving.ts';
import { requestObserver } from '#kernel/http/request-log.ts';
import type { Answering } from '#kernel/http/runtime.ts';
import type { Instance } from './instance.ts';
import { type KeptCertificate, keptCertificate } from './kept-certificate.ts';
import { type Listening, listenEverywhere, type Sockets } from './listening.ts';

/** A server that listens before the whole program is loaded. */
export interface Begun {
  readonly answering: Answering;
  readonly certificate: KeptCertificate;
  readonly listening: Listening;
  /** Hands over every request, also those that wait. */
  open: ReturnType<typeof answerEarly>['open'];
}

/** A hook of the operator that never ends its loading is no health. */
const LONGEST_LOADING_MS = 60_000;

/** What an answer needs of an opened installation. */
export const answeringOf = ({ ctx, config }: Pick<Instance, 'ctx' | 'config'>): Answering => ({
  root: ctx,
  clientAddress: clientAddressReader(config.proxyTrust),
  state: {
    isHttps: config.baseUrl.startsWith('https:'),
    isDraining: false,
    leaving: new Leaving(),
    isResting: false,
    stopping: new AbortController(),
  },
  observe: requestObserver(ctx, null),
});

/**
 * Listens on all addresses, and answers what the health of the server is.
 *
 * @throws AppError CONFLICT when an address is in use; ConfigError when this machine or this user cannot have it
 */
export async function beginListening(
  instance: Instance,
  { tls, places }: Pick<Sockets, 'tls' | 'places'>,
): Promise<Begun> {
  const { database, config } = instance;
  const answering = answeringOf(instance);
  const isHealthy = createHealthProbe(() => database.ping());
  const nowMs = () => Date.parse(answering.root.now());
  const begunMs = systemClock.monotonicMs();
  const hindrance = () =>
    systemClock.monotonicMs() - begunMs > LONGEST_LOADING_MS ? 'The server is still starting' : null;
  const health = answerHealth(answering, { isHealthy, version: buildInfo().version, nowMs, hindrance });
  const { answer, open } = answerEarly(health);
  const certificate = keptCertificate(instance, tls);
  const sockets = { ...(places && { places }), ...certificate.shown };
  const listening = await listenEverywhere(answer, answering.state, config, sockets);
  return { answering, certificate, listening, open };
}
