import type { Config } from '#kernel/config/config.ts';
import { endpointUrl } from '#licensing/purchases/integrations/index.ts';
import { readServerFile } from '../../app/run-files.ts';
import type { Cli } from '../frame/context.ts';

const LOCAL_HOST = /^(localhost|127\..*|\[::1\]|0\.0\.0\.0|\[::\])$/;

/**
 * Public address: the configured one, else that of the server that runs, which may have another configuration than this
 * shell and knows the port that it was given.
 */
export function publicBase(config: Config): string {
  if (config.baseUrlIsSet) return config.baseUrl;
  const running = readServerFile(config)?.baseUrl;
  return running === undefined || running.startsWith('unix:') ? config.baseUrl : running;
}

/** The URL that the processor is told. */
export const urlOf = (config: Config, configId: string): string => endpointUrl(publicBase(config), configId);

/** Warns when a processor on the internet cannot reach the address. */
export function warnOfLocalAddress(cli: Cli, config: Config): void {
  const { hostname } = new URL(publicBase(config));
  if (!LOCAL_HOST.test(hostname)) return;
  cli.warn(
    `${hostname} is this machine: a processor on the internet cannot reach it. Set APPCTL_BASE_URL to the public address`,
  );
}
