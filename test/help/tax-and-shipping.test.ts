import { testPage } from './run-page.ts';

testPage('tax-and-shipping', { serve: [] });
