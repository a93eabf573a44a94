// The last line of a test run, for programs that count: `12 passed, 0 failed, 0 skipped`. Before it, for people who are
// shown only the end of the output, what failed and why in a line each.
import type { Reporter, TestModule } from 'vitest/node';

type Tally = { passed: number; failed: number; skipped: number; failures: string[] };

/** Prints the line when the process ends, because other reporters print their failures late. */
export class TallyReporter implements Reporter {
  #tally: Tally = { passed: 0, failed: 0, skipped: 0, failures: [] };

  onInit(): void {
    process.once('exit', (code) => {
      const { passed, skipped, failures } = this.#tally;
      // Some failures belong to no test, as when the database server does not start: they count too.
      const failed = code === 0 ? this.#tally.failed : Math.max(1, this.#tally.failed);
      for (const failure of failures) process.stdout.write(`\nFAILED ${failure}`);
      process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`);
    });
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    this.#tally = { passed: 0, failed: errors.length, skipped: 0, failures: errors.map(firstLine) };
    for (const module of modules) count(module, this.#tally);
  }
}

/** A file that cannot be loaded and a suite whose hook throws count as one failure each. */
function count(module: TestModule, tally: Tally): void {
  const place = [module.project.name, module.relativeModuleId];
  for (const suite of [module, ...module.children.allSuites()]) {
    const [error] = suite.errors();
    if (error) fail(tally, suite.type === 'suite' ? [...place, suite.fullName] : place, error);
  }
  for (const test of module.children.allTests()) {
    const { state, errors } = test.result();
    if (state === 'passed') tally.passed += 1;
    else if (state === 'failed') fail(tally, [...place, test.fullName], errors[0]);
    else tally.skipped += 1;
  }
}

function fail(tally: Tally, where: readonly string[], error: unknown): void {
  tally.failed += 1;
  tally.failures.push(`${where.join(' ')}: ${firstLine(error)}`);
}

const firstLine = (error: unknown): string =>
  String((error as Error | undefined)?.message ?? error).split('\n', 1)[0] as string;
