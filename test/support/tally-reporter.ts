// The last line of a test run, for programs that count: `12 passed, 0 failed, 0 skipped`.
import type { Reporter, TestModule } from 'vitest/node';

type Tally = { passed: number; failed: number; skipped: number };

/** Prints the line when the process ends, because other reporters print their failures late. */
export class TallyReporter implements Reporter {
  #tally: Tally = { passed: 0, failed: 0, skipped: 0 };

  onInit(): void {
    process.once('exit', (code) => {
      const { passed, skipped } = this.#tally;
      // Some failures belong to no test, as when the database server does not start: they count too.
      const failed = code === 0 ? this.#tally.failed : Math.max(1, this.#tally.failed);
      process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`);
    });
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    this.#tally = { passed: 0, failed: errors.length, skipped: 0 };
    for (const module of modules) count(module, this.#tally);
  }
}

/** A file that cannot be loaded and a suite whose hook throws count as one failure each. */
function count(module: TestModule, tally: Tally): void {
  const suites = [module, ...module.children.allSuites()];
  tally.failed += suites.filter((suite) => suite.errors().length > 0).length;
  for (const test of module.children.allTests()) {
    const { state } = test.result();
    if (state === 'passed') tally.passed += 1;
    else if (state === 'failed') tally.failed += 1;
    else tally.skipped += 1;
  }
}
