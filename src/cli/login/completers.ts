import type { Io } from '../frame/io.ts';
import { profileNames } from '../remote/profiles.ts';

/** Names of the saved logins. */
export const completeProfiles = async ({ io }: { io: Pick<Io, 'env'> }): Promise<readonly string[]> =>
  profileNames(io.env);
