import type { Ctx } from '#kernel/context.ts';
import { importNative, type NativeImportAsked } from './import-native.ts';
import { inspectNative, type NativeFile, type OpenFile, requireKeys, rowLines } from './native-file.ts';
import type { ImportReport } from './report.ts';

/**
 * Imports a native export from a file that is read twice: once to see that it is whole, once to import it.
 *
 * @param start is told what the file holds before the first row is imported
 * @throws RecordFault for a damaged file; AppError VALIDATION_ERROR for licenses without keys; nothing is written then
 */
export async function importNativeFile(
  ctx: Ctx,
  open: OpenFile,
  asked: NativeImportAsked,
  start: (file: NativeFile) => Promise<void>,
): Promise<ImportReport> {
  const file = await inspectNative(open);
  if (!asked.skipLicenses) requireKeys(file);
  await start(file);
  return importNative(ctx, rowLines(open, file.total), asked);
}
