import type { Config } from './config.ts';
import type { ConfigProblem } from './errors.ts';
import { formatListenAddress, isLoopback, type ListenAddress } from './listen.ts';

type Asked = Pick<Config, 'listen' | 'mode' | 'tls' | 'baseUrl' | 'proxyTrust' | 'insecureHttp'>;

/** Whether other machines reach an address. A Unix socket is a matter of this one; what is behind `fd:3` shows later. */
export const reachesOthers = (address: ListenAddress): boolean =>
  address.kind === 'tcp' && (address.host === null || !isLoopback(address.host));

/**
 * Whether requests of other machines would arrive unencrypted, whatever is allowed: no TLS of our own, and no proxy
 * that is known to end it.
 *
 * @param listen addresses to judge, those of the configuration by default
 * @returns the first such address
 */
export function plainHttpAddress(
  { listen, mode, tls, baseUrl, proxyTrust }: Asked,
  addresses: readonly ListenAddress[] = listen,
): ListenAddress | undefined {
  const isBehindProxy = baseUrl.startsWith('https:') && proxyTrust !== false;
  if (mode === 'development' || tls !== undefined || isBehindProxy) return undefined;
  return addresses.find(reachesOthers);
}

/**
 * What keeps a server of this configuration from starting, although other commands may use it: in production license
 * keys and passwords travel encrypted, or their operator has said that they need not.
 *
 * @param addresses as for plainHttpAddress
 */
export function servingProblems(config: Asked, addresses?: readonly ListenAddress[]): ConfigProblem[] {
  const address = config.insecureHttp ? undefined : plainHttpAddress(config, addresses);
  if (address === undefined) return [];
  return [
    {
      key: 'listen',
      message: `other machines would reach ${formatListenAddress(address)} over plain HTTP, with license keys and passwords unencrypted`,
      hint: 'set tls.cert and tls.key; or behind a proxy set base_url to its https: address and proxy.trust to its range; or allow it with APPCTL_INSECURE_HTTP=on',
    },
  ];
}
