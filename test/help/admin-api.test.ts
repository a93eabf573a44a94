import { testPage } from './run-page.ts';

testPage('admin-api', { serve: [] });
