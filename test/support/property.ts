// Properties: rules that hold for every input, which fast-check draws.
import fc from 'fast-check';
import { expect } from 'vitest';

/**
 * Expects a property to hold for a hundred drawn inputs. fast-check's own `assert` throws just as well, but vitest does
 * not count it: a test that says nothing else would be taken for one that asserts nothing.
 * @param property from `fc.property`; what it returns must not be false, and it must not throw
 * @param options.numRuns how many inputs are drawn instead
 */
export function always<T>(property: fc.IProperty<T>, options: { numRuns?: number } = {}): void {
  const report = fc.check(property, options);
  expect(report.failed, fc.defaultReportMessage(report)).toBe(false);
}
