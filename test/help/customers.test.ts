import { testPage } from './run-page.ts';

testPage('customers', { serve: [] });
