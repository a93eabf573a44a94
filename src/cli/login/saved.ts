import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { serverAsked } from '../remote/asked.ts';
import { type Profile, profileNames, profileOf } from '../remote/profiles.ts';
import type { Server } from '../remote/server.ts';

/**
 * The server that was named, else that of the only saved login.
 *
 * @throws usage error (2) when there is none, or several
 */
export const serverOrOnly = async (cli: Cli): Promise<Server> => (await serverAsked(cli)) ?? onlyProfile(cli);

/** The saved login that was named, else the only one. @throws usage error (2) as serverOrOnly */
export async function profileAsked(cli: Cli): Promise<Profile> {
  const { profile } = (await cli.config()).config;
  return profile === undefined ? onlyProfile(cli) : profileOf(cli.io.env, profile);
}

function onlyProfile(cli: Cli): Profile {
  const [name, ...others] = profileNames(cli.io.env);
  if (name === undefined) throw usageError('nobody is signed in', 'appctl login URL');
  if (others.length === 0) return profileOf(cli.io.env, name);
  throw usageError(
    `there are several saved logins: ${[name, ...others].join(', ')}`,
    `appctl ${cli.spec.path} --profile ${name}`,
  );
}
