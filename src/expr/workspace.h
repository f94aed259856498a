// SPDX-License-Identifier: Apache-2.0
/// \file
/// One simplification: its environment, and the forms and atoms that it makes.
#pragma once

#include <memory>
#include <span>

#include "expr/environment.h"
#include "expr/memory.h"

namespace tessera::detail {

/// The environment of a simplification, and the memory in which it works. It lives as long as the
/// simplification: its facts end with it, and only memory is left to the next. `start` makes a new
/// environment and invalidates every Form and Atom.
class Workspace : public Environment {
 public:
  /// Works in the memory of the thread, or in new memory if another workspace uses that.
  Workspace();
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// Begins with an empty memory. `work` is the fuel of the new environment.
  void start(std::size_t variable_count, std::uint64_t work);

  /// The fuel used so far, by all environments of this workspace.
  std::uint64_t steps_taken() const { return earlier_steps_ + (given_ - fuel); }

  const Form* intern(Index constant, std::span<const Term> terms);
  const Form* constant(Index value) {
    const auto at = static_cast<std::uint64_t>(value) + Memory::kFewConstants / 4;
    if (at >= Memory::kFewConstants) return intern(value, {});
    Memory::FewConstants& known = memory.constants[at];
    if (known.run != memory.run) known = {memory.run, intern(value, {})};
    return known.form;
  }
  const Form* form_of(const Atom* atom);
  /// The form of a value that overflowed 64 bits. Its sums, products and quotients are this form again; its
  /// range is unbounded, and it equals no other form. A caller that gets it keeps the operation as written.
  const Form* overflow();

  const Atom* variable(std::uint32_t number);
  /// floor(form / divisor) as an atom; `divide` (floor_div.h) makes it canonical.
  const Atom* quotient(const Form* form, Index divisor);
  const Atom* max0(const Form* form);
  const Atom* product(const Atom* left, const Atom* right);
  const Atom* scaled(std::uint32_t number, Index modulus, Index residue);
  const Atom* operation(ExprKind op, const Form* left, const Form* right);

 private:
  explicit Workspace(Memory& of_thread);
  const Atom* intern_atom(const AtomContent& content);

  std::unique_ptr<Memory> own_;  // null if this workspace uses the memory of the thread

 public:
  Memory& memory;

 private:
  std::uint64_t earlier_steps_ = 0;  // fuel used by earlier environments
  std::uint64_t given_ = 0;          // initial fuel of this environment
};

}  // namespace tessera::detail
