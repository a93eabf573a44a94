import type { Cli } from '../frame/context.ts';

const LOCAL_HOST = /^(localhost|127\..*|\[::1\]|0\.0\.0\.0|\[::\])$/;

/** Warns when a processor on the internet cannot reach the address of an integration. */
export function warnOfLocalAddress(cli: Cli, url: string): void {
  const { hostname } = new URL(url);
  if (!LOCAL_HOST.test(hostname)) return;
  cli.warn(
    `${hostname} is this machine: a processor on the internet cannot reach it. Set APPCTL_BASE_URL to the public address`,
  );
}
