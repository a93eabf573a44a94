import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { pageOf } from '../paging.ts';
import { profileNames, profileOf } from '../remote/profiles.ts';

interface Shown {
  profile: string;
  server: string;
  email: string;
  expiresAt: string;
}

const columns: readonly Column<Shown>[] = [
  { key: 'profile' },
  { key: 'server' },
  { key: 'email' },
  { key: 'expiresAt', title: 'until', time: true },
];

/** `appctl profile list`: all of them are one page. */
export async function listProfiles(cli: Cli): Promise<void> {
  const items = profileNames(cli.io.env).map((name): Shown => {
    const { base, email, expiresAt } = profileOf(cli.io.env, name);
    return { profile: name, server: base.href.replace(/\/$/, ''), email, expiresAt };
  });
  await cli.out.page(pageOf({ page: 1, limit: Math.max(1, items.length) }, items, items.length), columns);
  if (items.length === 0) cli.next('appctl login URL');
}
