// What the tests of doctor's checks share: one check on one installation, and a way to break its database.
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { checks } from '../../src/app/capabilities.ts';
import { openScope } from '../../src/cli/doctor/scope.ts';

/** What one check finds in the installation `data` below a folder. */
export async function findingOf(cwd: string, id: string, env: Record<string, string> = {}) {
  const check = checks.find((one) => one.id === id);
  const { scope, close } = await openScope({ cwd, env: { HOME: cwd, APPCTL_LISTEN: '127.0.0.1:0', ...env } });
  try {
    return await check?.run(scope);
  } finally {
    await close();
  }
}

/** Breaks the database of that installation behind the program's back. */
export function breakDatabaseIn(cwd: string, statements: readonly string[]): void {
  const connection = new Driver(join(cwd, 'data/appctl.db')).unsafeMode();
  connection.pragma('foreign_keys = off');
  for (const sql of statements) connection.exec(sql);
  connection.close();
}
