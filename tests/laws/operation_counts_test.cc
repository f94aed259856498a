// SPDX-License-Identifier: Apache-2.0
// The operations of random small programs, counted one by one by an interpreter that shares no code with the
// product.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "hlo/operations/program_work.h"
#include "laws/random_seed.h"

namespace tessera::laws {
namespace {

using ArrayDims = std::vector<long>;
using OperationTally = std::map<std::string, long>;

long product_of_extents(const ArrayDims& dims) {
  long out = 1;
  for (const long d : dims) out *= d;
  return out;
}

// Calls `visit` for every index.
void walk_indices(const ArrayDims& dims, const std::function<void(const ArrayDims&)>& visit) {
  ArrayDims index(dims.size(), 0);
  if (product_of_extents(dims) == 0) return;
  for (;;) {
    visit(index);
    std::size_t d = dims.size();
    while (d > 0 && ++index[d - 1] == dims[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

std::string dims_text(const std::string& type, const ArrayDims& dims) {
  std::string out = type + "[";
  for (std::size_t i = 0; i < dims.size(); ++i) out += (i > 0 ? "," : "") + std::to_string(dims[i]);
  return out + "]";
}

// An array of the program.
struct MadeArray {
  std::string name;
  std::string type;
  ArrayDims dims;
};

// Writes a program and counts its operations as it writes.
class CountedProgram {
 public:
  explicit CountedProgram(std::mt19937_64& random) : random_(random) {}

  std::string write() {
    add_functions();
    std::vector<MadeArray> arrays;
    const ArrayDims dims{upto(4), upto(5)};
    for (const char* type : {"f32", "s32", "bf16", "c64"}) {
      arrays.push_back({"p" + std::to_string(arrays.size()), type, dims});
      body_ += "  " + arrays.back().name + " = " + dims_text(type, dims) + " parameter(" +
               std::to_string(arrays.size() - 1) + ")\n";
    }
    const long steps = 3 + upto(8);
    for (long i = 0; i < steps; ++i) add_step(arrays);
    return "HloModule random\n" + functions_ + "ENTRY main {\n" + body_ + "}\n";
  }

  const OperationTally& tally() const { return tally_; }
  /// Keys whose number depends on data, of which the program gives bounds.
  const std::set<std::string>& open() const { return open_; }

 private:
  long upto(long most) { return 1 + static_cast<long>(random_() % static_cast<unsigned long>(most)); }
  bool coin() { return random_() % 2 == 0; }
  std::string fresh() { return "v" + std::to_string(next_++); }
  void count(const std::string& kind, const std::string& type, long n = 1) {
    if (n > 0) tally_[kind + " " + type] += n * weight_;
  }

  // Functions that a reduction applies, with the operations of one application.
  void add_functions() {
    functions_ += "sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }\n";
    functions_ +=
        "odd { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] exponential(b) d = f32[] multiply(a, "
        "c) "
        "ROOT e = f32[] maximum(d, a) }\n";
    functions_ += "most { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = s32[] maximum(a, b) }\n";
  }
  void apply(const std::string& function) {
    if (function == "sum") return count("arithmetic", "f32");
    if (function == "most") return count("arithmetic", "s32");
    count("transcendental", "f32");
    count("arithmetic", "f32", 2);
  }

  const MadeArray& some(const std::vector<MadeArray>& arrays, const std::string& type, std::size_t rank) {
    std::vector<const MadeArray*> fit;
    for (const MadeArray& x : arrays)
      if (x.type == type && x.dims.size() == rank) fit.push_back(&x);
    return *fit[random_() % fit.size()];
  }

  void line(const MadeArray& made, const std::string& text) {
    body_ += "  " + made.name + " = " + dims_text(made.type, made.dims) + " " + text + "\n";
  }

  // Parameters cannot be added late, so an array of another shape is a broadcast of a constant, which
  // computes nothing.
  MadeArray filled(const std::string& type, const ArrayDims& dims) {
    const MadeArray zero{fresh(), type, {}};
    line(zero, type == "s32" ? "constant(0)" : "constant(0.5)");
    MadeArray out{fresh(), type, dims};
    line(out, "broadcast(" + zero.name + "), dimensions={}");
    return out;
  }

  void add_step(std::vector<MadeArray>& arrays) {
    switch (random_() % 13) {
      case 0:
        return add_elementwise(arrays);
      case 1:
        return add_elementwise(arrays);
      case 2:
        return add_dot(arrays);
      case 3:
        return add_convolution(arrays);
      case 4:
        return add_reduce(arrays);
      case 5:
        return add_reduce_window(arrays);
      case 6:
        return add_loop(arrays);
      case 7:
        return add_fusion(arrays);
      case 8:
        return add_call(arrays);
      case 9:
        return add_conditional(arrays);
      case 10:
        return add_sort(arrays);
      case 11:
        return add_scatter(arrays);
      default:
        return add_select_and_scatter(arrays);
    }
  }

  void add_elementwise(std::vector<MadeArray>& arrays) {
    const char* const types[] = {"f32", "s32", "bf16", "c64"};
    const MadeArray& a = some(arrays, types[random_() % 4], 2);
    const bool integer = a.type == "s32";
    const bool complex = a.type == "c64";
    MadeArray out{fresh(), a.type, a.dims};
    switch (random_() % 5) {
      case 0:
        line(out, "add(" + a.name + ", " + a.name + ")");
        walk_indices(a.dims, [&](const ArrayDims&) { count("arithmetic", a.type, complex ? 2 : 1); });
        break;
      case 1:
        line(out, "multiply(" + a.name + ", " + a.name + ")");
        walk_indices(a.dims, [&](const ArrayDims&) { count("arithmetic", a.type, complex ? 6 : 1); });
        break;
      case 2:
        if (integer) return;
        line(out, "exponential(" + a.name + ")");
        walk_indices(a.dims, [&](const ArrayDims&) { count("transcendental", a.type); });
        break;
      case 3: {
        out.type = "pred";
        line(out, "compare(" + a.name + ", " + a.name + "), direction=EQ");
        walk_indices(a.dims, [&](const ArrayDims&) { count("arithmetic", a.type, complex ? 2 : 1); });
        break;
      }
      default:
        line(out, "copy(" + a.name + ")");
        break;
    }
    arrays.push_back(out);
  }

  void add_dot(std::vector<MadeArray>& arrays) {
    const char* const types[] = {"f32", "s32", "bf16", "c64"};
    const std::string type = types[random_() % 4];
    const long batch = upto(2);
    const long rows = upto(3);
    const long depth = upto(4);
    const long columns = upto(3);
    const MadeArray a = filled(type, {batch, rows, depth});
    const MadeArray b = filled(type, {batch, depth, columns});
    MadeArray out{fresh(), type, {batch, rows, columns}};
    line(out,
         "dot(" + a.name + ", " + b.name +
             "), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, rhs_contracting_dims={1}");
    walk_indices(out.dims, [&](const ArrayDims&) {
      for (long k = 0; k < depth; ++k) count("product", type, type == "c64" ? 8 : 2);
    });
    arrays.push_back(out);
  }

  struct Window {
    long size, stride, low, high, lhs, rhs, in, out;
    bool covers(long o, long k) const {
      const long place = o * stride + k * rhs - low;
      return place >= 0 && place <= (in - 1) * lhs && place % lhs == 0;
    }
  };

  Window some_window(bool dilated) {
    for (;;) {
      Window w{upto(3), upto(2), upto(3) - 1, upto(3) - 1, dilated ? upto(3) : 1, dilated ? upto(2) : 1,
               upto(5), 0};
      const long padded = (w.in - 1) * w.lhs + 1 + w.low + w.high;
      const long reach = (w.size - 1) * w.rhs + 1;
      if (padded < reach) continue;
      w.out = (padded - reach) / w.stride + 1;
      return w;
    }
  }

  std::string window_text(const std::vector<Window>& windows) {
    const auto join = [&](const char* key, const std::function<std::string(const Window&)>& of) {
      std::string out = std::string(" ") + key + "=";
      for (std::size_t i = 0; i < windows.size(); ++i) out += (i > 0 ? "x" : "") + of(windows[i]);
      return out;
    };
    return "window={" + join("size", [](const Window& w) { return std::to_string(w.size); }).substr(1) +
           join("stride", [](const Window& w) { return std::to_string(w.stride); }) +
           join("pad", [](const Window& w) { return std::to_string(w.low) + "_" + std::to_string(w.high); }) +
           join("lhs_dilate", [](const Window& w) { return std::to_string(w.lhs); }) +
           join("rhs_dilate", [](const Window& w) { return std::to_string(w.rhs); }) + "}";
  }

  void add_convolution(std::vector<MadeArray>& arrays) {
    const Window x = some_window(true);
    const Window y = some_window(true);
    const long groups = upto(2);
    const long inner = upto(2);
    const long outer = upto(2);
    const MadeArray a = filled("f32", {1, x.in, y.in, groups * inner});
    const MadeArray k = filled("f32", {x.size, y.size, inner, groups * outer});
    MadeArray out{fresh(), "f32", {1, x.out, y.out, groups * outer}};
    line(out, "convolution(" + a.name + ", " + k.name + "), " + window_text({x, y}) +
                  ", dim_labels=b01f_01io->b01f, feature_group_count=" + std::to_string(groups));
    walk_indices(out.dims, [&](const ArrayDims& o) {
      for (long i = 0; i < x.size; ++i)
        for (long j = 0; j < y.size; ++j)
          for (long f = 0; f < inner; ++f)
            if (x.covers(o[1], i) && y.covers(o[2], j)) count("product", "f32", 2);
    });
    arrays.push_back(out);
  }

  void add_reduce(std::vector<MadeArray>& arrays) {
    const bool integer = coin();
    const std::string function = integer ? "most" : coin() ? "sum" : "odd";
    const MadeArray a = filled(integer ? "s32" : "f32", {upto(3), upto(4) - 1, upto(3)});
    const MadeArray zero{fresh(), a.type, {}};
    line(zero, "constant(0)");
    MadeArray out{fresh(), a.type, {a.dims[0]}};
    line(out, "reduce(" + a.name + ", " + zero.name + "), dimensions={1,2}, to_apply=" + function);
    std::vector<bool> seen(static_cast<std::size_t>(a.dims[0]), false);
    walk_indices(a.dims, [&](const ArrayDims& i) {
      const auto row = static_cast<std::size_t>(i[0]);
      if (seen[row]) apply(function);
      seen[row] = true;
    });
    arrays.push_back(out);
  }

  void add_reduce_window(std::vector<MadeArray>& arrays) {
    const Window x = some_window(true);
    const Window y = some_window(true);
    const MadeArray a = filled("f32", {x.in, y.in});
    const MadeArray zero{fresh(), "f32", {}};
    line(zero, "constant(0)");
    const std::string function = coin() ? "sum" : "odd";
    MadeArray out{fresh(), "f32", {x.out, y.out}};
    line(out, "reduce-window(" + a.name + ", " + zero.name + "), " + window_text({x, y}) +
                  ", to_apply=" + function);
    walk_indices(out.dims, [&](const ArrayDims& o) {
      bool seen = false;
      walk_indices({x.size, y.size}, [&](const ArrayDims& k) {
        if (!x.covers(o[0], k[0]) || !y.covers(o[1], k[1])) return;
        if (seen) apply(function);
        seen = true;
      });
    });
    arrays.push_back(out);
  }

  void add_select_and_scatter(std::vector<MadeArray>& arrays) {
    const Window x = some_window(false);
    const MadeArray a = filled("f32", {x.in});
    const MadeArray source = filled("f32", {x.out});
    const MadeArray zero{fresh(), "f32", {}};
    line(zero, "constant(0)");
    const std::string select = "ge" + std::to_string(next_);
    functions_ += select +
                  " { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), " +
                  "direction=GE }\n";
    MadeArray out{fresh(), "f32", {x.in}};
    line(out, "select-and-scatter(" + a.name + ", " + source.name + ", " + zero.name +
                  "), window={size=" + std::to_string(x.size) + " stride=" + std::to_string(x.stride) +
                  " pad=" + std::to_string(x.low) + "_" + std::to_string(x.high) + "}, select=" + select +
                  ", scatter=sum");
    for (long o = 0; o < x.out; ++o) {
      long inside = 0;
      for (long k = 0; k < x.size; ++k) {
        if (!x.covers(o, k)) continue;
        if (inside > 0) count("arithmetic", "f32");
        ++inside;
      }
      if (inside > 0) apply("sum");
    }
    arrays.push_back(out);
  }

  // A counter and an array that the body multiplies, by a condition and a body that run one by one.
  void add_loop(std::vector<MadeArray>& arrays) {
    const MadeArray x = some(arrays, "f32", 2);
    const long trips = upto(5) - 1;
    const std::string id = std::to_string(next_++);
    const std::string state = "(s32[], " + dims_text("f32", x.dims) + ")";
    functions_ += "test" + id + " { s = " + state +
                  " parameter(0) i = s32[] get-tuple-element(s), index=0 n = " + "s32[] constant(" +
                  std::to_string(trips) + ") ROOT c = pred[] compare(i, n), direction=LT }\n";
    functions_ +=
        "body" + id + " { s = " + state +
        " parameter(0) i = s32[] get-tuple-element(s), index=0 one = s32[] constant(1) j = s32[] add(i, " +
        "one) x = " + dims_text("f32", x.dims) +
        " get-tuple-element(s), index=1 y = " + dims_text("f32", x.dims) +
        " multiply(x, x) ROOT t = " + state + " tuple(j, y) }\n";
    const MadeArray zero{fresh(), "s32", {}};
    line(zero, "constant(0)");
    body_ += "  t" + id + " = " + state + " tuple(" + zero.name + ", " + x.name + ")\n";
    body_ +=
        "  w" + id + " = " + state + " while(t" + id + "), condition=test" + id + ", body=body" + id + "\n";
    MadeArray out{fresh(), "f32", x.dims};
    line(out, "get-tuple-element(w" + id + "), index=1");
    for (long i = 0;; ++i) {
      count("arithmetic", "s32");
      if (i >= trips) break;
      count("arithmetic", "s32");
      walk_indices(x.dims, [&](const ArrayDims&) { count("arithmetic", "f32"); });
    }
    arrays.push_back(out);
  }

  void add_fusion(std::vector<MadeArray>& arrays) {
    const MadeArray x = some(arrays, "f32", 2);
    const std::string id = std::to_string(next_++);
    const std::string shape = dims_text("f32", x.dims);
    functions_ += "fused" + id + " { x = " + shape + " parameter(0) a = " + shape + " tanh(x) b = " + shape +
                  " subtract(a, x) ROOT r = " + shape + " negate(b) }\n";
    MadeArray out{fresh(), "f32", x.dims};
    line(out, "fusion(" + x.name + "), kind=kLoop, calls=fused" + id);
    walk_indices(x.dims, [&](const ArrayDims&) {
      count("transcendental", "f32");
      count("arithmetic", "f32", 2);
    });
    arrays.push_back(out);
  }

  void add_call(std::vector<MadeArray>& arrays) {
    const MadeArray x = some(arrays, "f32", 2);
    const std::string id = std::to_string(next_++);
    const std::string shape = dims_text("f32", x.dims);
    functions_ += "inner" + id + " { x = " + shape + " parameter(0) ROOT a = " + shape + " add(x, x) }\n";
    functions_ += "called" + id + " { x = " + shape + " parameter(0) a = " + shape +
                  " call(x), to_apply=inner" + id + " b = " + shape + " call(a), to_apply=inner" + id +
                  " ROOT c = " + shape + " sqrt(b) }\n";
    MadeArray out{fresh(), "f32", x.dims};
    line(out, "call(" + x.name + "), to_apply=called" + id);
    walk_indices(x.dims, [&](const ArrayDims&) {
      count("arithmetic", "f32", 2);
      count("transcendental", "f32");
    });
    arrays.push_back(out);
  }

  // One of two or three branches runs: the one that the index says.
  void add_conditional(std::vector<MadeArray>& arrays) {
    const MadeArray x = some(arrays, "f32", 2);
    const std::string id = std::to_string(next_++);
    const std::string shape = dims_text("f32", x.dims);
    const long branches = 1 + upto(2);
    const long chosen = upto(branches) - 1;
    std::string names;
    std::string operands;
    for (long b = 0; b < branches; ++b) {
      const long operations = upto(3);
      const bool hard = coin();
      const std::string name = "branch" + id + "_" + std::to_string(b);
      functions_ += name + " { v0 = " + shape + " parameter(0)";
      for (long i = 1; i <= operations; ++i)
        functions_ += std::string(i == operations ? " ROOT" : "") + " v" + std::to_string(i) + " = " + shape +
                      (hard ? " tanh(v" : " negate(v") + std::to_string(i - 1) + ")";
      functions_ += " }\n";
      names += (b > 0 ? ", " : "") + name;
      operands += ", " + x.name;
      const std::string kind = hard ? "transcendental" : "arithmetic";
      if (branches > 1) open_.insert(kind + " f32");
      if (b == chosen) walk_indices(x.dims, [&](const ArrayDims&) { count(kind, "f32", operations); });
    }
    const MadeArray index{fresh(), "s32", {}};
    line(index, "constant(" + std::to_string(chosen) + ")");
    MadeArray out{fresh(), "f32", x.dims};
    line(out, "conditional(" + index.name + operands + "), branch_computations={" + names + "}");
    arrays.push_back(out);
  }

  // A merge sort of each row, whose comparisons are counted.
  void add_sort(std::vector<MadeArray>& arrays) {
    const MadeArray a = filled("f32", {upto(3), upto(9) - 1});
    const std::string less = "less" + std::to_string(next_);
    functions_ +=
        less +
        " { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), direction=LT }\n";
    MadeArray out{fresh(), "f32", a.dims};
    line(out, "sort(" + a.name + "), dimensions={1}, to_apply=" + less);
    for (long row = 0; row < a.dims[0]; ++row) {
      std::vector<long> values;
      for (long i = 0; i < a.dims[1]; ++i) values.push_back(upto(4));
      sort_values(values);
    }
    if (a.dims[1] > 1) open_.insert("arithmetic f32");
    arrays.push_back(out);
  }

  void sort_values(std::vector<long>& values) {
    if (values.size() < 2) return;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::vector<long> left(values.begin(), middle);
    std::vector<long> right(middle, values.end());
    sort_values(left);
    sort_values(right);
    std::size_t i = 0;
    std::size_t j = 0;
    for (long& out : values) {
      bool takes_left = j == right.size();
      if (i < left.size() && j < right.size()) {
        count("arithmetic", "f32");
        takes_left = left[i] <= right[j];
      }
      out = takes_left ? left[i++] : right[j++];
    }
  }

  // Updates at random places, of which some are outside and are left out.
  void add_scatter(std::vector<MadeArray>& arrays) {
    const long size = upto(5);
    const long updates = upto(6);
    const MadeArray a = filled("f32", {size});
    const MadeArray u = filled("f32", {updates});
    const MadeArray i = filled("s32", {updates});
    const std::string function = coin() ? "sum" : "odd";
    MadeArray out{fresh(), "f32", {size}};
    line(out, "scatter(" + a.name + ", " + i.name + ", " + u.name +
                  "), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                  "index_vector_dim=1, to_apply=" +
                  function);
    for (long k = 0; k < updates; ++k) {
      const long place = upto(size + 4) - 3;
      if (place >= 0 && place < size) apply(function);
    }
    open_.insert("arithmetic f32");
    if (function == "odd") open_.insert("transcendental f32");
    arrays.push_back(out);
  }

  std::mt19937_64& random_;
  std::set<std::string> open_;
  std::string functions_;
  std::string body_;
  OperationTally tally_;
  long next_ = 0;
  long weight_ = 1;
};

TEST(OperationCounts, AreThoseOfAnInterpreter) {
  std::mt19937_64 random(seed(20261129));
  const std::uint64_t count = cases(400);
  long bounds = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    CountedProgram program(random);
    const std::string text = program.write();
    const ParsedModules parsed = parse_hlo(text);
    ASSERT_TRUE(parsed.ok()) << text << parsed.diagnostics.at(0).message;
    const detail::ProgramWork work = detail::program_work(parsed.modules.at(0));
    ASSERT_TRUE(!program.open().empty() || work.total.exact()) << text << work.total.reason();
    ASSERT_TRUE(work.total.unknown().empty()) << text << work.total.unknown();
    OperationTally theirs = program.tally();
    for (const auto& [key, number] : work.total.counts()) {
      const std::string name =
          std::string(detail::to_string(key.first)) + " " + std::string(to_string(key.second));
      const long true_number = theirs[name];
      theirs.erase(name);
      ASSERT_TRUE(number.upper) << name << "\n" << text;
      ASSERT_LE(number.lower, true_number) << name << "\n" << text;
      ASSERT_GE(*number.upper, true_number) << name << "\n" << text;
      if (!program.open().contains(name)) {
        ASSERT_TRUE(number.exact()) << name << "\n" << text;
      }
      bounds += number.exact() ? 0 : 1;
    }
    ASSERT_TRUE(theirs.empty()) << theirs.begin()->first << "\n" << text;
  }
  EXPECT_GT(bounds, 0);
}

}  // namespace
}  // namespace tessera::laws
