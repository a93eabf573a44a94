import { capability } from '#kernel/capability.ts';
import { importEvents } from './events.ts';

export type { Kind, Values } from './entity.ts';
export { type ExportAsked, exportNative, tenantSlugs } from './export-native.ts';
export { exportTable, tableColumns } from './export-table.ts';
export { type ColumnMap, readColumnMap } from './foreign/columns.ts';
export { FOREIGN_SOURCES, type ForeignSource } from './foreign/sources.ts';
export { type CustomerImportAsked, importCustomers } from './import-customers.ts';
export { importNativeFile } from './import-file.ts';
export { type ForeignImportAsked, importLicenses } from './import-licenses.ts';
export type { NativeImportAsked } from './import-native.ts';
export type { NativeFile, OpenFile } from './native-file.ts';
export type { ImportReport } from './report.ts';

/** Export and import. */
export const portability = capability({ name: 'portability', events: [importEvents] });
