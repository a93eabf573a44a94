import { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import { oneOf } from '#kernel/http/fields.ts';
import { goTo, type Page, page, refuseForm, show } from '#kernel/http/page.ts';
import { PANEL } from '#platform/panel/index.ts';
import { IMPORT_COLUMNS } from './columns.ts';
import { MOST_FILE_BYTES, startImport } from './import-file.ts';

const PATH = '/store/customers/import';
const REFUSED = 'The file was not imported';

/** Customers out of a CSV file: tried first, then imported, as a task that says how far it is. */
export const importPage: Page = page({
  path: PATH,
  title: 'Import customers',
  audience: { staff: 'customers:write' },
  layout: PANEL,
  help: 'customers',
  form: z.object({ do: oneOf(['check', 'apply']) }),
  files: { file: { maxCount: 1, maxBytes: () => MOST_FILE_BYTES } },
  show: async () => show('store/customer-import', { action: PATH, columns: IMPORT_COLUMNS }),
  async submit(ctx, { form, files }) {
    const file = files.file?.[0];
    if (!file) throw refuseForm(REFUSED, { file: 'Choose a CSV file' });
    try {
      const named = { path: file.object.path, name: file.filename };
      const { id } = await startImport(ctx, named, form.do === 'check');
      return goTo(`/admin/tasks/${encodeURIComponent(id)}?tab=report`);
    } catch (error) {
      if (!(error instanceof AppError) || error.status !== 400) throw error;
      throw refuseForm(REFUSED, { file: error.message.replace(/^file: /, '') });
    }
  },
});
