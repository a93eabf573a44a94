import type { Cli } from '../frame/context.ts';
import { profileNames } from '../remote/profiles.ts';

/** Names of the saved logins. */
export const completeProfiles = async (cli: Cli): Promise<readonly string[]> => profileNames(cli.io.env);
