import { useEffect, useState } from 'react';

const settleMs = 350;

/** The value once it has stayed the same for a moment; until then undefined. Objects are compared by what they hold. */
export function useSettled<T>(value: T): T | undefined {
  const text = JSON.stringify(value);
  const [settled, setSettled] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), settleMs);
    return () => clearTimeout(timer);
  }, [text]);
  return settled === text ? value : undefined;
}

/** What to search for: while somebody types, what was asked for last stays. */
export function useSearchText(typed: string): string {
  const settled = useSettled(typed.trim());
  const [search, setSearch] = useState('');
  if (settled !== undefined && settled !== search) setSearch(settled);
  return search;
}
