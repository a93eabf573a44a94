import { defineConfig } from 'vitest/config';
import { LongFirst } from './support/long-first.ts';
import { SpecReporter } from './support/spec-reporter.ts';
import { StoreReporter } from './support/store-reporter.ts';
import { TallyReporter } from './support/tally-reporter.ts';

const databaseTests = 'test/**/*.db.test.ts';

export default defineConfig({
  root: `${import.meta.dirname}/..`,
  test: {
    // The last reporter prints last: its line is what a program counts.
    reporters: ['default', new SpecReporter(), new StoreReporter(), new TallyReporter()],
    // Processes, not threads: tests start servers, read process state and load native code.
    pool: 'forks',
    // One process runs many files and keeps the modules that are loaded: starting afresh for each file costs a second.
    // Nothing in src/ keeps state in a module, so files cannot meet there.
    isolate: false,
    maxWorkers: 3,
    sequence: { sequencer: LongFirst },
    // A case that returns early or loops over nothing proves nothing: it fails (test/support/assertions.test.ts).
    expect: { requireAssertions: true },
    testTimeout: 90_000,
    hookTimeout: 120_000,
    projects: [
      {
        extends: true,
        // What never asks how a database does a thing runs once; an application that it starts is on SQLite.
        test: {
          name: 'plain',
          include: ['test/**/*.test.ts'],
          exclude: [databaseTests],
          provide: { databaseKind: 'sqlite' },
        },
      },
      {
        extends: true,
        test: { name: 'sqlite', include: [databaseTests], provide: { databaseKind: 'sqlite' } },
      },
      {
        extends: true,
        test: {
          name: 'postgres',
          include: [databaseTests],
          provide: { databaseKind: 'postgres' },
          globalSetup: 'test/support/global-setup.ts',
        },
      },
    ],
  },
});
