import { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import type { Cli } from '../frame/context.ts';
import { toFailure } from '../frame/exits.ts';
import { adminClient } from '../remote/client.ts';
import { type Profile, removeProfile } from '../remote/profiles.ts';
import { profileAsked } from './saved.ts';

/** `appctl logout`: ends the login on the server, and forgets it here in any case. */
export async function logOut(cli: Cli): Promise<void> {
  const saved = await profileAsked(cli);
  const revoked = await revoke(cli, saved);
  removeProfile(cli.io.env, saved.profile);
  const server = saved.base.href.replace(/\/$/, '');
  await cli.out.value(
    { ok: true, profile: saved.profile, server, revoked },
    () => `signed out of ${server} (profile ${saved.profile})`,
  );
}

async function revoke(cli: Cli, saved: Profile): Promise<boolean> {
  try {
    const client = await adminClient(cli, saved);
    await client.call({ method: 'DELETE', path: 'admin/auth/token' }, z.looseObject({}));
    return true;
  } catch (error) {
    // The server knows no such login any more.
    if (error instanceof AppError && error.status === 401) return true;
    cli.warn(
      `the server was not told: ${toFailure(error).message}; there the login stays valid until ${saved.expiresAt}`,
    );
    return false;
  }
}
