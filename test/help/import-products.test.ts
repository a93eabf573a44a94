import { testPage } from './run-page.ts';

testPage('import-products', { serve: [] });
