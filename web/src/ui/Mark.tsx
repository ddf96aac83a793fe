/** Hindcast's mark: a clock that is wound back. */
export function Mark({ className = "size-5" }: { className?: string }) {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.2"
      strokeLinecap="round"
      aria-hidden="true"
      className={`text-moon ${className}`}
    >
      <path d="M7.2 5.1A8.5 8.5 0 1 0 16.8 5.1" />
      <path d="M12 8.2v4.4" />
      <circle cx="12" cy="3.6" r="1.5" fill="currentColor" stroke="none" />
    </svg>
  );
}
