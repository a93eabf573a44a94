import { z } from 'zod';
import { card } from '../card.ts';
import type { Cli } from '../frame/context.ts';
import { adminClient } from '../remote/client.ts';
import { serverOrOnly } from './saved.ts';

const Me = z.object({
  user: z.object({ email: z.string() }).nullable(),
  token: z.object({ name: z.string(), expiresAt: z.string().nullable() }).nullable(),
  roles: z.array(z.string()),
  permissions: z.array(z.string()),
  scopes: z.record(z.string(), z.array(z.string())),
});

/** `appctl whoami`. */
export async function showWhoami(cli: Cli): Promise<void> {
  const server = await serverOrOnly(cli);
  const client = await adminClient(cli, server);
  const { user, token, ...rest } = (await client.call({ method: 'GET', path: 'admin/me' }, Me)).body;
  const answer = {
    server: server.base.href.replace(/\/$/, ''),
    profile: server.profile,
    email: user?.email ?? null,
    token: token?.name ?? null,
    ...rest,
    expiresAt: token?.expiresAt ?? null,
  };
  await cli.out.value(
    answer,
    card([
      ['server', answer.server],
      ['profile', answer.profile],
      ['email', answer.email],
      ['token', answer.token],
      ['roles', answer.roles],
      ['permissions', answer.roles.includes('owner') ? 'everything' : answer.permissions],
      ['limited to', Object.values(answer.scopes).flat()],
      ['until', answer.expiresAt],
    ]),
  );
}
