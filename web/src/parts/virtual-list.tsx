// A list that renders only its visible rows, so that hundreds of rows scroll like ten. All rows have one
// height.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

const BEYOND = 6;

export function VirtualList<T>({
  items,
  height,
  draw,
  chosen,
}: {
  readonly items: readonly T[];
  /** The height of a row, px. */
  readonly height: number;
  readonly draw: (item: T, index: number) => ComponentChildren;
  /** The index of the row that must be visible. */
  readonly chosen: number;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [room, setRoom] = useState(600);
  useEffect(() => {
    const { current } = box;
    if (current === null) return undefined;
    const resized = new ResizeObserver(() => setRoom(current.clientHeight));
    resized.observe(current);
    return () => resized.disconnect();
  }, []);
  useEffect(() => {
    const { current } = box;
    if (current === null || chosen < 0) return;
    const [from, to] = [chosen * height, (chosen + 1) * height];
    if (from < current.scrollTop) current.scrollTop = from;
    else if (to > current.scrollTop + current.clientHeight) current.scrollTop = to - current.clientHeight;
  }, [chosen]);
  const first = Math.max(0, Math.floor(top / height) - BEYOND);
  const last = Math.min(items.length, Math.ceil((top + room) / height) + BEYOND);
  return (
    <div class="virtual" ref={box} onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}>
      <div style={{ height: `${items.length * height}px` }}>
        <div style={{ transform: `translateY(${first * height}px)` }}>
          {items.slice(first, last).map((item, index) => draw(item, first + index))}
        </div>
      </div>
    </div>
  );
}
