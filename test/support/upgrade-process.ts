// A process that upgrades, continues or rolls back the executable that its words name, as the command does, and may be
// told to die by SIGKILL at one stage of it. It prints what came of it.
import { loadConfig } from '#kernel/config/load.ts';
import { applyUpgrade, finishUpgrade } from '../../src/app/upgrade/apply.ts';
import { openFeed } from '../../src/app/upgrade/feed.ts';
import { readJournal } from '../../src/app/upgrade/journal.ts';
import { lockPlace, placeOf } from '../../src/app/upgrade/place.ts';
import { sha256Of } from '../../src/app/upgrade/program.ts';
import { resumed } from '../../src/app/upgrade/resume.ts';
import { addedMigrations } from '../../src/app/upgrade/return.ts';
import { rollback } from '../../src/app/upgrade/rollback.ts';

/** Words of the process, as JSON. */
export interface UpgradeWork {
  readonly does: 'apply' | 'continue' | 'rollback';
  readonly exe: string;
  /** Signed file of the newer version. */
  readonly file: string;
  /** Stage at whose beginning it dies. */
  readonly diesAt?: string;
  readonly back?: 'convert' | 'restore';
  /** SHA-256 of the program that judged the offer; that of the executable by default. */
  readonly program?: string;
}

const given = JSON.parse(process.argv[2] ?? '') as UpgradeWork;
const { does, exe, file, diesAt, back = 'convert' } = given;
const { config, files } = await loadConfig();
const place = placeOf(exe);
const upgrading = {
  place,
  installation: { config, files },
  makesBackup: true,
  program: given.program ?? (await sha256Of(exe)),
  stage(name: string) {
    if (name === diesAt) process.kill(process.pid, 'SIGKILL');
  },
  progress: () => undefined,
};

async function work(): Promise<unknown> {
  const unlock = await lockPlace(place);
  try {
    if (does === 'apply') {
      const feed = await openFeed(config, { file, signature: null });
      const offer = await feed.offer();
      return offer === null ? null : await applyUpgrade(feed, offer, upgrading);
    }
    const journal = readJournal(place);
    if (journal === null) throw new Error('no upgrade was begun');
    if (does === 'continue') {
      const came = await resumed(journal, upgrading);
      return came === 'forward' ? await finishUpgrade(readJournal(place) ?? journal, upgrading) : came;
    }
    const { added } = await addedMigrations(exe, journal, upgrading.installation);
    return await rollback({ ...journal, back }, upgrading, added.length > 0);
  } finally {
    unlock();
  }
}

try {
  process.stdout.write(JSON.stringify({ done: await work() }));
} catch (error) {
  const { message, code, details } = error as { message: string; code?: string; details?: object };
  process.stdout.write(JSON.stringify({ failed: { message, code, details } }));
}
