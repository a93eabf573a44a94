import { ConfigError } from '#kernel/config/errors.ts';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';
import { serverAsked } from '../remote/asked.ts';
import type { DeskApi } from './api.ts';
import type { Desk } from './desk.ts';
import { namedDesk } from './named.ts';

/** The operations that a command calls, loaded when it runs. */
export type Twins = () => Promise<readonly Endpoint[]>;

/**
 * Opens the desk of a command: the server that `--server`, `--profile` or their variables name, which is told on stderr,
 * else the local installation. It is closed afterwards, also when the command fails.
 *
 * @param load the API whose operations they are, when the command runs; the admin API when absent
 * @throws as withLocal; usage error (2) for a server without its key
 */
export async function withDesk<T>(
  cli: Cli,
  twins: Twins,
  work: (desk: Desk) => Promise<T>,
  load: () => Promise<DeskApi> = async () => (await import('./api.ts')).adminApi,
): Promise<T> {
  const server = await serverAsked(cli);
  if (server === null) {
    const { localDesk } = await import('./local.ts');
    return withLocal(cli, async (instance) => {
      const offered = { api: await load(), twins: await twins() };
      return work(await namedDesk(cli, (some) => localDesk(instance, some, cli.dryRun), offered));
    }).catch(namingLogins(cli));
  }
  const { remoteDesk } = await import('./remote.ts');
  const { serverName } = await import('../remote/server.ts');
  const offered = { api: await load(), twins: await twins() };
  const desk = await namedDesk(cli, (some) => remoteDesk(cli, server, some), offered);
  cli.note(`server: ${serverName(server)}`);
  return work(desk);
}

/** Where nothing is installed, somebody who signed in to a server has left out its name. */
const namingLogins =
  (cli: Cli) =>
  async (error: unknown): Promise<never> => {
    const [problem] = error instanceof ConfigError ? error.problems : [];
    if (problem === undefined || !/^master key .* was not found$/.test(problem.message)) throw error;
    const { profileNames } = await import('../remote/profiles.ts');
    const [first] = profileNames(cli.io.env);
    if (first === undefined) throw error;
    const hint = `to work on a server you are signed in to, add --profile ${first}; appctl profile list shows all`;
    throw new ConfigError([{ ...problem, hint }]);
  };
