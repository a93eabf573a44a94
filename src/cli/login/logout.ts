import type { Cli } from '../frame/context.ts';
import { removeProfile } from '../remote/profiles.ts';
import { endLogin } from './end.ts';
import { profileAsked } from './saved.ts';

/** `appctl logout`: ends the login on the server, and forgets it here in any case. */
export async function logOut(cli: Cli): Promise<void> {
  const saved = await profileAsked(cli);
  const revoked = await endLogin(cli, saved);
  removeProfile(cli.io.env, saved.profile);
  const server = saved.base.href.replace(/\/$/, '');
  await cli.out.value(
    { ok: true, profile: saved.profile, server, revoked },
    () => `signed out of ${server} (profile ${saved.profile})`,
  );
}
