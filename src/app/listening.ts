import type { RequestListener } from 'node:http';
import type { Config } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/errors.ts';
import { formatListenAddress, parseListen } from '#kernel/config/listen.ts';
import { servingProblems } from '#kernel/config/serving.ts';
import type { Handover, Place, Places } from '#kernel/http/inherited-sockets.ts';
import { type ChallengeAnswers, redirectTo } from '#kernel/http/redirect.ts';
import type { ServerState } from '#kernel/http/runtime.ts';
import { listen, type RunningServer, type ShownCertificate } from '#kernel/http/server.ts';
import { removeDeadSocket } from '#kernel/http/unix-socket.ts';
import { addressFailure } from './address-failure.ts';
import type { Instance } from './instance.ts';

/** The sockets of a server. */
export interface Listening {
  readonly servers: readonly RunningServer[];
  readonly urls: readonly string[];
  /** Of those that only redirect. */
  readonly redirects: readonly string[];
  /** Where they listen, in their order. */
  readonly places: readonly Place[];
  /** systemd opened them, in place of what is configured. */
  readonly isComplete: boolean;
  /** What a successor inherits, by the address that each was opened for. */
  readonly sockets: Handover['sockets'];
}

/** What a server listens with. */
export interface Sockets {
  readonly tls?: ShownCertificate | undefined;
  /** What a certificate authority is told over plain HTTP. */
  readonly challenges?: ChallengeAnswers;
  readonly places?: Pick<Places, 'places' | 'isComplete'>;
}

/**
 * Listens on all addresses of a configuration.
 *
 * @param sockets those that another process opened for them
 * @throws AppError CONFLICT when an address is in use; ConfigError when this machine or this user cannot have it
 */
export async function listenEverywhere(
  answer: RequestListener,
  state: ServerState,
  config: Config,
  { tls, places, challenges = async () => undefined }: Sockets,
): Promise<Listening> {
  const all = places?.places ?? config.listen.map((address): Place => ({ address, fd: null }));
  const redirect = redirectTo(config.baseUrl, challenges);
  const servers: RunningServer[] = [];
  try {
    for (const { address, fd, isRedirect } of all) {
      const isNew = fd === null;
      if (isNew && address.kind === 'unix') await removeDeadSocket(address.path);
      const shown = isRedirect ? ([redirect, undefined] as const) : ([answer, tls] as const);
      servers.push(await listen(shown[0], state, address, shown[1], fd));
      if (!isNew && !isRedirect) requireEncryption(config, servers.at(-1)?.url ?? '');
    }
  } catch (error) {
    for (const server of servers) server.destroy();
    if (error instanceof ConfigError) throw error;
    const place = all[servers.length];
    throw place ? addressFailure(error as NodeJS.ErrnoException, failed(place)) : error;
  }
  return {
    servers,
    urls: servers.filter((_, i) => !all[i]?.isRedirect).map(({ url }) => url),
    redirects: servers.filter((_, i) => all[i]?.isRedirect).map(({ url }) => url),
    places: all,
    isComplete: places?.isComplete ?? false,
    sockets: servers.map(({ fd }, i) => ({
      address: formatListenAddress((all[i] as Place).address),
      fd,
      ...(all[i]?.isRedirect && { isRedirect: true }),
    })),
  };
}

/** Says so where systemd opened the sockets, and none for what plain HTTP is to be redirected from. */
export function warnOfDeafRedirect(
  { config, ctx }: Pick<Instance, 'config' | 'ctx'>,
  { isComplete, redirects }: Listening,
): void {
  if (!isComplete || redirects.length > 0 || config.redirectListen.length === 0) return;
  const addresses = config.redirectListen.map(formatListenAddress).join(', ');
  const hint = 'install the service again: appctl doctor env.service-unit prints the command';
  ctx.log.warn({ hint }, `systemd passes no socket for tls.redirect_listen: nobody answers on ${addresses}`);
}

const failed = ({ address, fd }: Place) => (fd === null ? address : ({ kind: 'fd', fd } as const));

/** What an inherited socket listens on shows only now. @throws ConfigError */
function requireEncryption(config: Config, url: string): void {
  if (!url.startsWith('http://')) return;
  const [problem] = servingProblems(config, parseListen(url.slice('http://'.length)));
  if (problem) throw new ConfigError([problem]);
}

/** Ends all servers: open requests finish within the configured grace. */
export async function stopServing(
  { config, ctx }: Pick<Instance, 'config' | 'ctx'>,
  servers: readonly RunningServer[],
): Promise<void> {
  const force = setTimeout(() => {
    ctx.log.warn('open requests were cut after the grace period');
    for (const server of servers) server.destroy();
  }, config.http.shutdownGraceSeconds * 1000);
  await Promise.all(servers.map((server) => server.stop()));
  clearTimeout(force);
}

/** An address that a person can open: a wildcard becomes loopback. */
export const reachable = (url: string): string =>
  url.replace('://0.0.0.0:', '://127.0.0.1:').replace('://[::]:', '://127.0.0.1:');
